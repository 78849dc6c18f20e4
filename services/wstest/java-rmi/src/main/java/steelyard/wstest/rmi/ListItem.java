package steelyard.wstest.rmi;

import java.io.Serializable;

/** An item of a linked list; the last has no next. */
public record ListItem(Struct value, ListItem next) implements Serializable {}
