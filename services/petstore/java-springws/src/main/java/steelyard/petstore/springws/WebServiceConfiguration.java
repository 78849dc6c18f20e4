package steelyard.petstore.springws;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.ws.config.annotation.EnableWs;
import steelyard.petstore.PetStore;

/** Spring Web Services with its defaults, and the endpoint. */
@Configuration
@EnableWs
public class WebServiceConfiguration {

  @Bean
  PartnerEndpoint partnerEndpoint(PetStore store) {
    return new PartnerEndpoint(store.reception(), store.documents());
  }
}
