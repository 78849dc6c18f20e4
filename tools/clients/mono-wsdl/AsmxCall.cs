using System;
using System.IO;
using System.Reflection;
using System.Text;
using System.Web.Services.Protocols;
using System.Xml;
using System.Xml.Serialization;

/// <summary>Asks an operation by the proxies that wsdl made: AsmxCall.exe LIBRARY ADDRESS OPERATION REQUEST. The request's values go
/// through the generated classes, and so does the answer, which is printed.</summary>
static class AsmxCall
{
    static int Main(string[] words)
    {
        foreach (Type type in Assembly.LoadFrom(words[0]).GetTypes())
        {
            MethodInfo method = typeof(SoapHttpClientProtocol).IsAssignableFrom(type) ? type.GetMethod(words[2]) : null;
            if (method == null)
                continue;
            var proxy = (SoapHttpClientProtocol)Activator.CreateInstance(type);
            proxy.Url = words[1];
            try
            {
                Print(method.Invoke(proxy, Arguments(method, words[3])));
            }
            catch (TargetInvocationException error)
            {
                Console.Error.WriteLine(error.InnerException);
                return 1;
            }
            return 0;
        }
        Console.Error.WriteLine("what was generated has no operation " + words[2]);
        return 1;
    }

    static object[] Arguments(MethodInfo method, string request)
    {
        var document = new XmlDocument { PreserveWhitespace = true };
        document.Load(request);
        XmlElement payload = document.DocumentElement;
        var style = method.GetCustomAttribute<SoapDocumentMethodAttribute>();
        ParameterInfo[] parameters = method.GetParameters();
        var values = new object[parameters.Length];
        for (int i = 0; i < parameters.Length; i++)
        {
            var named = parameters[i].GetCustomAttribute<XmlElementAttribute>();
            string name = named == null || named.ElementName.Length == 0 ? parameters[i].Name : named.ElementName;
            string space = named == null || named.Namespace == null ? style.RequestNamespace : named.Namespace;
            XmlElement element = style.ParameterStyle == SoapParameterStyle.Bare ? payload : payload[name, space];
            if (element == null)
                throw new InvalidOperationException("a parameter is called " + name + ", which the message does not hold");
            values[i] = Read(element, parameters[i].ParameterType);
        }
        return values;
    }

    static object Read(XmlElement element, Type type)
    {
        if (type == typeof(string))
            return element.InnerText;
        var root = new XmlRootAttribute(element.LocalName) { Namespace = element.NamespaceURI };
        return new XmlSerializer(type, root).Deserialize(new XmlNodeReader(element));
    }

    static void Print(object answer)
    {
        using (var output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)))
        {
            if (answer == null || answer is string)
                output.WriteLine(answer);
            else
                new XmlSerializer(answer.GetType(), new XmlRootAttribute("answer")).Serialize(output, answer);
        }
    }
}
