using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.Serialization;
using System.ServiceModel;
using System.Text;
using System.Xml;

/// <summary>Asks an operation by the contracts that svcutil made: WcfCall.exe LIBRARY ADDRESS OPERATION REQUEST. The request's values go
/// through the generated classes, and so does the answer, which is printed.</summary>
static class WcfCall
{
    static int Main(string[] words)
    {
        foreach (Type contract in Assembly.LoadFrom(words[0]).GetTypes().Where(IsContract))
        {
            MethodInfo operation = contract.GetMethods().FirstOrDefault(method => NameOf(method) == words[2]);
            if (operation == null)
                continue;
            Type factory = typeof(ChannelFactory<>).MakeGenericType(contract);
            object channels = Activator.CreateInstance(factory, new BasicHttpBinding { MaxReceivedMessageSize = 1 << 24 }, new EndpointAddress(words[1]));
            object channel = factory.GetMethod("CreateChannel", Type.EmptyTypes).Invoke(channels, null);
            try
            {
                Print(operation.Invoke(channel, Arguments(operation, words[3])));
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

    static bool IsContract(Type type)
    {
        return type.IsInterface && type.GetCustomAttribute<ServiceContractAttribute>() != null;
    }

    static string NameOf(MethodInfo method)
    {
        var named = method.GetCustomAttribute<OperationContractAttribute>();
        return named == null || string.IsNullOrEmpty(named.Name) ? method.Name : named.Name;
    }

    static object[] Arguments(MethodInfo operation, string request)
    {
        var document = new XmlDocument { PreserveWhitespace = true };
        document.Load(request);
        return operation.GetParameters().Select(parameter =>
        {
            XmlElement element = document.DocumentElement.ChildNodes.OfType<XmlElement>().FirstOrDefault(child => child.LocalName == parameter.Name);
            if (element == null)
                throw new InvalidOperationException("a parameter is called " + parameter.Name + ", which the message does not hold");
            if (parameter.ParameterType == typeof(string))
                return (object)element.InnerText;
            return new DataContractSerializer(parameter.ParameterType, element.LocalName, element.NamespaceURI).ReadObject(new XmlNodeReader(element));
        }).ToArray();
    }

    static void Print(object answer)
    {
        using (var output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)))
        {
            if (answer == null || answer is string)
                output.WriteLine(answer);
            else
                using (XmlWriter writer = XmlWriter.Create(output))
                    new DataContractSerializer(answer.GetType(), "answer", "").WriteObject(writer, answer);
        }
    }
}
