using System;
using System.Xml;
using System.Xml.Serialization;

namespace Steelyard.Common
{
    /// <summary>An operation: the classes of its messages, which XmlSerializer reads and writes, and what it does.</summary>
    abstract class Operation
    {
        public abstract object Answer(XmlReader request);

        public abstract void Write(XmlWriter writer, object answer);
    }

    sealed class Operation<TRequest, TAnswer> : Operation
    {
        readonly XmlSerializer requests = new XmlSerializer(typeof(TRequest));
        readonly XmlSerializer answers = new XmlSerializer(typeof(TAnswer));
        readonly XmlSerializerNamespaces prefixes = new XmlSerializerNamespaces();
        readonly Func<TRequest, TAnswer> answer;

        /// <summary>Answers are written in the default namespace `space`, without the prefixes of XML Schema.</summary>
        public Operation(string space, Func<TRequest, TAnswer> answer)
        {
            prefixes.Add(string.Empty, space);
            this.answer = answer;
        }

        public override object Answer(XmlReader request)
        {
            return answer((TRequest)requests.Deserialize(request));
        }

        public override void Write(XmlWriter writer, object value)
        {
            answers.Serialize(writer, value, prefixes);
        }
    }
}
