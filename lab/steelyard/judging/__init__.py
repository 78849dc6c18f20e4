"""Judge result files of other load tools. Files are streamed, and nothing is measured here."""
