using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Runtime.InteropServices;
using System.Web;
using System.Web.Hosting;

namespace Steelyard.AspNetMono
{
    /// <summary>A request of HttpListener as ASP.NET wants to see it. What is answered is sent in one piece at its end.</summary>
    class ListenerRequest : SimpleWorkerRequest
    {
        readonly HttpListenerRequest request;
        readonly HttpListenerResponse response;
        readonly string filePath;
        readonly MemoryStream answer = new MemoryStream();

        /// <summary>A service answers at its file's name without the extension, as `files` has it, too.</summary>
        public ListenerRequest(HttpListenerContext context, IReadOnlyDictionary<string, string> files)
            : base(string.Empty, string.Empty, null)
        {
            request = context.Request;
            response = context.Response;
            if (!files.TryGetValue(request.Url.AbsolutePath, out filePath))
                filePath = request.Url.AbsolutePath;
        }

        public override string GetHttpVerbName()
        {
            return request.HttpMethod;
        }

        public override string GetHttpVersion()
        {
            return "HTTP/" + request.ProtocolVersion;
        }

        public override string GetRawUrl()
        {
            return request.RawUrl;
        }

        public override string GetUriPath()
        {
            return request.Url.AbsolutePath;
        }

        public override string GetFilePath()
        {
            return filePath;
        }

        public override string GetFilePathTranslated()
        {
            return MapPath(GetFilePath());
        }

        public override string GetPathInfo()
        {
            return string.Empty;
        }

        public override string GetQueryString()
        {
            return request.Url.Query.TrimStart('?');
        }

        public override string GetLocalAddress()
        {
            return request.LocalEndPoint.Address.ToString();
        }

        public override int GetLocalPort()
        {
            return request.LocalEndPoint.Port;
        }

        public override string GetRemoteAddress()
        {
            return request.RemoteEndPoint.Address.ToString();
        }

        public override int GetRemotePort()
        {
            return request.RemoteEndPoint.Port;
        }

        public override string GetKnownRequestHeader(int index)
        {
            return request.Headers[GetKnownRequestHeaderName(index)];
        }

        public override string GetUnknownRequestHeader(string name)
        {
            return request.Headers[name];
        }

        public override string[][] GetUnknownRequestHeaders()
        {
            var unknown = new List<string[]>();
            foreach (string name in request.Headers)
                if (GetKnownRequestHeaderIndex(name) < 0)
                    unknown.Add(new[] { name, request.Headers[name] });
            return unknown.ToArray();
        }

        public override int ReadEntityBody(byte[] buffer, int size)
        {
            return request.InputStream.Read(buffer, 0, size);
        }

        public override void SendStatus(int code, string description)
        {
            response.StatusCode = code;
            response.StatusDescription = description;
        }

        public override void SendKnownResponseHeader(int index, string value)
        {
            switch (index)
            {
                case HeaderContentLength:
                case HeaderTransferEncoding:
                case HeaderConnection:
                case HeaderKeepAlive:
                    break; // the listener's own affair
                default:
                    response.Headers.Add(GetKnownResponseHeaderName(index), value);
                    break;
            }
        }

        public override void SendUnknownResponseHeader(string name, string value)
        {
            response.Headers.Add(name, value);
        }

        public override void SendResponseFromMemory(byte[] data, int length)
        {
            answer.Write(data, 0, length);
        }

        public override void SendResponseFromMemory(IntPtr data, int length)
        {
            var copy = new byte[length];
            Marshal.Copy(data, copy, 0, length);
            answer.Write(copy, 0, length);
        }

        public override void FlushResponse(bool final)
        {
        }

        public override void EndOfRequest()
        {
            response.ContentLength64 = answer.Length;
            response.OutputStream.Write(answer.GetBuffer(), 0, (int)answer.Length);
            response.Close();
        }
    }
}
