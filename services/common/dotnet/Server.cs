using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.Mime;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using System.Xml;

namespace Steelyard.Common
{
    /// <summary>Serves the operations of its paths, and the count of their requests, with HttpListener on a loopback port.</summary>
    sealed class Server
    {
        const int MostRequestBytes = 16 << 20;

        readonly HttpListener listener = new HttpListener { IgnoreWriteExceptions = true };
        readonly IReadOnlyDictionary<string, IReadOnlyDictionary<XmlQualifiedName, Operation>> paths;
        readonly string counterPath;
        readonly int mostDepth;
        int requests;

        /// <summary>`paths` has the operations of each path. Elements of a message nest at most `mostDepth` deep.</summary>
        public Server(
            IReadOnlyDictionary<string, IReadOnlyDictionary<XmlQualifiedName, Operation>> paths, string counterPath, int mostDepth)
        {
            this.paths = paths;
            this.counterPath = counterPath;
            this.mostDepth = mostDepth;
        }

        /// <summary>Serves as long as the process lives; the arguments are PORT and how many requests at once. The exit status is 2 where they are wrong.</summary>
        public int Run(string[] arguments)
        {
            int port, atOnce;
            if (arguments.Length != 2 || !int.TryParse(arguments[0], out port) || !int.TryParse(arguments[1], out atOnce))
            {
                Console.Error.WriteLine("The arguments are PORT and REQUESTS-AT-ONCE.");
                return 2;
            }
            string host = Environment.GetEnvironmentVariable("STEELYARD_HOST") ?? "127.0.0.1";
            listener.Prefixes.Add("http://" + host + ":" + port + "/");
            listener.Start();
            for (int i = 0; i < atOnce; i++)
                Task.Run(ServeAsync);
            Thread.Sleep(Timeout.Infinite);
            return 0;
        }

        /// <summary>Serves one request after the other.</summary>
        async Task ServeAsync()
        {
            for (;;)
            {
                HttpListenerContext context = await listener.GetContextAsync().ConfigureAwait(false);
                try
                {
                    Connection.Keep(context);
                    Serve(context.Request, context.Response);
                }
                catch (Exception error)
                {
                    Console.Error.WriteLine("A request was not answered: " + error.Message);
                    context.Response.Abort();
                }
            }
        }

        void Serve(HttpListenerRequest request, HttpListenerResponse response)
        {
            IReadOnlyDictionary<XmlQualifiedName, Operation> operations;
            if (request.HttpMethod == "GET" && request.Url.AbsolutePath == counterPath)
                Send(response, 200, requests.ToString());
            else if (request.HttpMethod == "POST" && paths.TryGetValue(request.Url.AbsolutePath, out operations))
                ServeOperation(request, response, operations);
            else
                Send(response, 404, "nothing is at this address");
        }

        void ServeOperation(
            HttpListenerRequest request, HttpListenerResponse response, IReadOnlyDictionary<XmlQualifiedName, Operation> operations)
        {
            Interlocked.Increment(ref requests);
            string micros = request.Headers["Steelyard-Busy-Us"];
            ContentType type = TypeOf(request);
            byte[] body;
            if (micros != null && !Busy.Spin(micros))
                Send(response, 400, "Steelyard-Busy-Us is no number of microseconds up to a million");
            else if (type == null || type.MediaType != "text/xml")
                Send(response, 415, "SOAP 1.1 comes as text/xml");
            else if ((body = BodyOf(request)) == null)
                Send(response, 413, "a request has at most 16 MiB, and all that its length says");
            else
                Answer(response, body, type, operations);
        }

        void Answer(
            HttpListenerResponse response, byte[] body, ContentType type, IReadOnlyDictionary<XmlQualifiedName, Operation> operations)
        {
            int status = 200;
            MemoryStream answer;
            try
            {
                using (XmlReader reader = MessageReader.Of(body, type, mostDepth))
                    answer = Envelope.Answer(operations, reader);
            }
            catch (SoapException error)
            {
                status = 500;
                answer = Envelope.Fault(error.Code, error.Message);
            }
            catch (Exception error) when (error is XmlException || error is InvalidOperationException || error is FormatException
                || error is ArgumentException || error is OverflowException)
            {
                status = 500;
                answer = Envelope.Fault("Client", "the message cannot be read: " + error.Message);
            }
            Send(response, status, "text/xml; charset=utf-8", answer);
        }

        static ContentType TypeOf(HttpListenerRequest request)
        {
            try
            {
                return new ContentType(request.ContentType);
            }
            catch (Exception error) when (error is FormatException || error is ArgumentException)
            {
                return null;
            }
        }

        /// <summary>A request's whole body; null where it is too long or ends early.</summary>
        static byte[] BodyOf(HttpListenerRequest request)
        {
            if (request.ContentLength64 > MostRequestBytes)
                return null;
            var body = new MemoryStream((int)Math.Max(request.ContentLength64, 0));
            var piece = new byte[8192];
            for (int read; (read = request.InputStream.Read(piece, 0, piece.Length)) > 0;)
            {
                if (body.Length + read > MostRequestBytes)
                    return null;
                body.Write(piece, 0, read);
            }
            return request.ContentLength64 > body.Length ? null : body.ToArray();
        }

        static void Send(HttpListenerResponse response, int status, string text)
        {
            Send(response, status, "text/plain; charset=utf-8", new MemoryStream(Encoding.UTF8.GetBytes(text)));
        }

        /// <summary>Sends an answer in one piece.</summary>
        static void Send(HttpListenerResponse response, int status, string type, MemoryStream answer)
        {
            response.StatusCode = status;
            response.ContentType = type;
            response.ContentLength64 = answer.Length;
            answer.Position = 0;
            answer.CopyTo(response.OutputStream, (int)Math.Max(answer.Length, 1));
            response.Close();
        }
    }
}
