package steelyard.petstore.messaging;

import java.sql.Connection;
import java.sql.SQLException;
import steelyard.petstore.documents.BadDocumentException;

/** One step of the business process: what is done on receiving a document, in one transaction. */
public interface Workflow {

  /** `database` takes part in the step's transaction; whoever calls the step commits and closes. */
  void handle(String document, Connection database) throws BadDocumentException, SQLException;
}
