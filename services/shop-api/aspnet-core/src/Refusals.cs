namespace Steelyard.Shop
{
    /// <summary>The answers to requests that are refused.</summary>
    static class Refusals
    {
        static readonly Refusal NotValidAnswer = new("not valid");

        public static IResult NotValid => Results.Json(NotValidAnswer, statusCode: StatusCodes.Status400BadRequest);
        public static IResult NotFound => Results.Json(new Refusal("not found"), statusCode: StatusCodes.Status404NotFound);
        public static IResult OutOfStock => Results.Json(new Refusal("out of stock"), statusCode: StatusCodes.Status409Conflict);

        /// <summary>Middleware: answers a request whose body cannot be read as the operation's message.</summary>
        public static async Task AnswerUnreadableAsync(HttpContext context, RequestDelegate next)
        {
            try
            {
                await next(context);
            }
            catch (BadHttpRequestException refused) when (!context.Response.HasStarted)
            {
                context.Response.StatusCode = refused.StatusCode;
                await context.Response.WriteAsJsonAsync(NotValidAnswer);
            }
        }
    }
}
