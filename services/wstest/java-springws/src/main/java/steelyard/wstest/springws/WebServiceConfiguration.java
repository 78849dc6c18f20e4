package steelyard.wstest.springws;

import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Configuration;
import org.springframework.ws.config.annotation.EnableWs;

/** Spring Web Services with its defaults, and the endpoints of this package. */
@Configuration
@EnableWs
@ComponentScan
public class WebServiceConfiguration {}
