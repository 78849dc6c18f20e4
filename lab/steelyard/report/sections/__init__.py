"""One file a section of the report: what it needs of the analysis, and how it draws it."""
