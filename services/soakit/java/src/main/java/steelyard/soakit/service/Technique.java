package steelyard.soakit.service;

import javax.xml.transform.Source;

/** A way to read documents and to write answers. */
interface Technique {

  /** The answer to a document that came as a string, as a string. */
  String answer(UseCase useCase, String document);

  /** The answer to a document that came as XML, as XML: wrapped where the request was. */
  Source answer(UseCase useCase, Source document);
}
