package steelyard.cxf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.xml.sax.SAXException;

class EndpointDescriptionTest {

  private static final String OPEN =
      "<endpoints xmlns='http://java.sun.com/xml/ns/jax-ws/ri/runtime' version='2.0'>";

  @Test
  void everyEndpointIsRead() throws Exception {
    var found =
        read(
            OPEN
                + "<endpoint name='A' implementation='a.A' url-pattern='/a'/>"
                + "<endpoint name='B' implementation='b.B' url-pattern='/b/*' binding='urn:b'"
                + " enable-mtom='true'/></endpoints>");

    assertThat(found)
        .containsExactly(
            new EndpointDescription("A", "a.A", "/a", "", false),
            new EndpointDescription("B", "b.B", "/b/*", "urn:b", true));
  }

  @Test
  void documentTypeIsRefused() {
    assertThatThrownBy(
            () -> read("<!DOCTYPE e [<!ENTITY x SYSTEM 'file:///etc/hostname'>]>" + OPEN))
        .isInstanceOf(SAXException.class)
        .hasMessageContaining("DOCTYPE");
  }

  private static List<EndpointDescription> read(String descriptor) throws Exception {
    return EndpointDescription.read(new ByteArrayInputStream(descriptor.getBytes()));
  }
}
