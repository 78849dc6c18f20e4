using System;
using System.Net;
using System.Web.Services.Protocols;
using System.Xml;
using Steelyard.Asmx;

namespace Steelyard.SoaServers.Contract
{
    /// <summary>What the generated proxy lacks: calls that are begun and ended, a carriage return, and a time-out that holds for all of a call.</summary>
    public partial class CalleeBinding
    {
        public IAsyncResult BeginPropagate(int depth, string[] parameters)
        {
            return BeginInvoke("propagate", new object[] { depth, parameters }, null, null);
        }

        /// <summary>The answer to a call that was begun; where it is later than Timeout, the call is given up.</summary>
        /// <remarks>For calls that are begun, Timeout does nothing by itself.</remarks>
        public Token[] EndPropagate(IAsyncResult call)
        {
            if (Calls.Timeout.HasValue && !call.AsyncWaitHandle.WaitOne(Timeout))
            {
                ((WebClientAsyncResult)call).Abort();
                throw new WebException("The operation has timed out.", WebExceptionStatus.Timeout);
            }
            return (Token[])EndInvoke(call)[0];
        }

        protected override WebRequest GetWebRequest(Uri uri)
        {
            var request = (HttpWebRequest)base.GetWebRequest(uri);
            if (Calls.Timeout.HasValue)
                request.ReadWriteTimeout = Timeout;
            return request;
        }

        protected override XmlWriter GetWriterForMessage(SoapClientMessage message, int bufferSize)
        {
            return new Writer(message.Stream, Math.Max(bufferSize, 512));
        }
    }
}
