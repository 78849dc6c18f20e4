using System.Globalization;

namespace Steelyard.Common
{
    /// <summary>Marks an endpoint whose requests are counted.</summary>
    sealed class Counted
    {
    }

    /// <summary>Counts the requests of a service, and keeps each busy as long as its header Steelyard-Busy-Us asks for.</summary>
    sealed class Requests
    {
        long count;

        /// <summary>Requests since the start, as the counter's answer.</summary>
        public string Count => Interlocked.Read(ref count).ToString(CultureInfo.InvariantCulture);

        /// <summary>Middleware behind routing: begins the requests of counted endpoints.</summary>
        public Task BeginCountedAsync(HttpContext context, RequestDelegate next)
        {
            return context.GetEndpoint()?.Metadata.GetMetadata<Counted>() == null ? next(context) : BeginAsync(context, next);
        }

        /// <summary>Middleware: begins a request.</summary>
        public async Task BeginAsync(HttpContext context, RequestDelegate next)
        {
            Interlocked.Increment(ref count);
            string? micros = context.Request.Headers["Steelyard-Busy-Us"];
            if (micros == null || Busy.Spin(micros))
            {
                await next(context);
                return;
            }
            context.Response.StatusCode = StatusCodes.Status400BadRequest;
            await context.Response.WriteAsync("Steelyard-Busy-Us is no number of microseconds up to a million");
        }
    }
}
