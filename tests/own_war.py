"""A WAR of a service that this project's servers have never seen, as a user would bring it, and its WSDL."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

SOURCE = """\
package stock;

import jakarta.jws.WebMethod;
import jakarta.jws.WebParam;
import jakarta.jws.WebResult;
import jakarta.jws.WebService;

@WebService(serviceName = "Shelves", portName = "ShelvesPort", targetNamespace = "urn:example:stock")
public class Shelves {
  @WebMethod
  @WebResult(name = "pieces")
  public int piecesOf(@WebParam(name = "article") String article, @WebParam(name = "shelf") int shelf) {
    return article.length() + shelf;
  }

  @WebMethod
  @WebResult(name = "label")
  public String labelOf(@WebParam(name = "article") String article) {
    return "article " + article;
  }
}
"""
METRO = """\
<endpoints xmlns="http://java.sun.com/xml/ns/jax-ws/ri/runtime" version="2.0">
  <endpoint name="Shelves" implementation="stock.Shelves" url-pattern="/Shelves"/>
</endpoints>
"""
_OPERATIONS = {
    "piecesOf": (
        '<xs:element name="article" type="xs:string" minOccurs="0"/><xs:element name="shelf" type="xs:int"/>',
        '<xs:element name="pieces" type="xs:int"/>',
    ),
    "labelOf": (
        '<xs:element name="article" type="xs:string" minOccurs="0"/>',
        '<xs:element name="label" type="xs:string" minOccurs="0"/>',
    ),
}


def wsdl() -> str:
    """The description that goes with the classes, with the address of a machine that is not this one."""
    types = messages = operations = bound = ""
    for name, (asked, answered) in _OPERATIONS.items():
        for element, inside in ((name, asked), (f"{name}Response", answered)):
            kind = f"<xs:complexType><xs:sequence>{inside}</xs:sequence></xs:complexType>"
            types += f'<xs:element name="{element}">{kind}</xs:element>'
            messages += f'<message name="{element}"><part name="parameters" element="t:{element}"/></message>'
        operations += (
            f'<operation name="{name}"><input message="t:{name}"/><output message="t:{name}Response"/></operation>'
        )
        body = '<s:body use="literal"/>'
        bound += f'<operation name="{name}"><s:operation soapAction=""/><input>{body}</input><output>{body}</output></operation>'
    return (
        '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" '
        'xmlns:t="urn:example:stock" xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:example:stock">'
        f'<types><xs:schema targetNamespace="urn:example:stock">{types}</xs:schema></types>{messages}'
        f'<portType name="Shelves">{operations}</portType>'
        '<binding name="ShelvesBinding" type="t:Shelves">'
        f'<s:binding transport="http://schemas.xmlsoap.org/soap/http"/>{bound}</binding>'
        '<service name="Shelves"><port name="ShelvesPort" binding="t:ShelvesBinding">'
        '<s:address location="http://shop.example.org/store/Shelves"/></port></service></definitions>'
    )


def war(folder: Path, jdk: Path, libraries: Path, *, described: bool = True) -> Path:
    """The WAR, compiled against the jars of a JAX-WS stack; without Metro's list of endpoints where it is not `described`."""
    (folder / "stock").mkdir(parents=True)
    (folder / "stock" / "Shelves.java").write_text(SOURCE)
    classes = folder / "classes"
    compiler = [str(jdk / "bin" / "javac"), "--release", "17", "-cp", f"{libraries}/*", "-d", str(classes)]
    subprocess.run([*compiler, str(folder / "stock" / "Shelves.java")], check=True, capture_output=True)
    made = folder / ("shelves.war" if described else "bare.war")
    with zipfile.ZipFile(made, "w") as archive:
        archive.write(classes / "stock" / "Shelves.class", "WEB-INF/classes/stock/Shelves.class")
        if described:
            archive.writestr("WEB-INF/sun-jaxws.xml", METRO)
    return made
