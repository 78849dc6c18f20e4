package steelyard.shop;

/** The body of an answer that refuses. */
public record ErrorAnswer(String error) {}
