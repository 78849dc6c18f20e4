package steelyard.wstest.rest;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;

/**
 * WSTest in JSON over HTTP, where the server has Jakarta RESTful Web Services; elsewhere nobody
 * loads it.
 */
@ApplicationPath("rest")
public class RestApplication extends Application {}
