//! The ways in which a server can go wrong; each has the name that `steelyard-testserver misbehave` takes.

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Misbehaviour {
    // Before an answer
    /// Nobody listens
    Refuses,
    /// Reads requests and never answers
    NeverAnswers,
    /// Closes when it has read the request
    ClosesUnanswered,
    /// Resets the connection when it has read the request
    Resets,

    // Slow or cut
    /// Sends the body at one byte a second
    Drips,
    /// Sends the head at one byte a second
    DripsHead,
    /// Closes in the middle of the head
    ClosesInHead,
    /// Closes in the middle of the body
    ClosesInBody,
    /// Resets in the middle of the body
    ResetsInBody,

    // Lengths
    /// Content-Length is smaller than the body
    LengthTooSmall,
    /// Content-Length is larger than the body, then nothing
    LengthTooLarge,
    /// Content-Length is 2^63 - 1
    LengthHuge,
    /// Content-Length has more digits than any integer
    LengthOverflow,
    /// Content-Length is -1
    LengthNegative,
    /// Content-Length is no number
    LengthNoNumber,
    /// Two Content-Lengths that differ
    LengthTwice,
    /// Neither Content-Length nor chunks: the body ends with the connection (lawful, and must be understood)
    LengthUnstated,

    // Without end
    /// Header after header
    EndlessHead,
    /// One header line that does not end
    EndlessHeader,
    /// A chunked body that does not end
    EndlessBody,
    /// A body that ends with the connection, which it does not
    EndlessBodyUnstated,

    // Chunks
    /// A chunk's size is no number
    ChunkBad,
    /// A chunk's size overflows 64 bits
    ChunkHuge,
    /// A chunk is longer than its size says
    ChunkTooLong,
    /// The connection closes within a chunk
    ChunkCut,
    /// Good chunks of one byte each (lawful)
    ChunksSmall,

    // Not what was asked for
    /// Bytes that are no HTTP
    Garbage,
    /// 100 Continue again and again
    ContinueStorm,
    /// 100 and 103, then a right answer (lawful)
    Informational,
    /// 302 to itself
    Redirects,
    /// A body after 204 No Content
    #[value(name = "body-after-204")]
    BodyAfter204,
    /// Two answers to one request
    AnswersTwice,
    /// Answers when it has read the head, and reads the body afterwards
    AnswersEarly,
    /// Answers when it has read the head, and closes without reading the body
    AnswersEarlyAndCloses,
    /// Sends an answer as soon as the connection is open, before any request
    AnswersUnasked,

    // TLS
    /// A good certificate (lawful)
    Tls,
    /// A certificate for another name
    TlsWrongName,
    /// A certificate that has expired
    TlsExpired,
    /// A certificate of an authority that is not told to anyone
    TlsUnknownAuthority,
    /// Bytes that are no TLS
    TlsGarbage,
    /// Accepts and is silent in the handshake
    TlsSilent,

    // A share of the answers is bad, the others right
    /// Another content under status 200
    Wrong,
    /// A SOAP fault with status 500
    Fault,
    /// A SOAP fault with status 200
    #[value(name = "fault-with-200")]
    FaultWith200,
    /// 503 Service Unavailable
    Unavailable,
    /// Closes the connection after the answer without saying so, so that its next use finds it stale
    ClosesKept,
    /// Closes the connection after the answer and says so (lawful)
    ClosesPolitely,
}
