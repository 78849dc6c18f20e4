using System;
using System.Collections.Generic;
using System.Xml;

namespace Steelyard.Common
{
    /// <summary>The operations of an address, by the element that asks for each.</summary>
    sealed class Operations : Dictionary<XmlQualifiedName, Operation>
    {
        /// <summary>Adds the operation of an element; its answers are written with the element's namespace as the default one.</summary>
        public Operations Add<TRequest, TAnswer>(string space, string name, Func<TRequest, TAnswer> answer)
        {
            Add(new XmlQualifiedName(name, space), new Operation<TRequest, TAnswer>(space, answer));
            return this;
        }
    }
}
