package steelyard.soaservers.springws;

import java.time.Duration;
import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Configuration;
import org.springframework.oxm.jaxb.Jaxb2Marshaller;
import org.springframework.ws.client.core.WebServiceTemplate;
import org.springframework.ws.config.annotation.EnableWs;
import org.springframework.ws.transport.http.HttpComponents5MessageSender;
import steelyard.soaservers.CallSettings;
import steelyard.soaservers.Propagation;
import steelyard.soaservers.Services;

/**
 * Spring Web Services with its defaults, the endpoints of this package, and the client with which
 * they call others.
 */
@Configuration
@EnableWs
@ComponentScan
public class WebServiceConfiguration {

  @Bean
  Services services() {
    return Services.shared();
  }

  @Bean
  CallSettings callSettings() {
    return CallSettings.of(System.getenv());
  }

  @Bean
  Propagation propagation(TemplateCaller caller) {
    return new Propagation(caller);
  }

  @Bean
  WebServiceTemplate webServiceTemplate(HttpComponents5MessageSender sender) {
    var marshaller = new Jaxb2Marshaller();
    marshaller.setContextPath("steelyard.soaservers.contract");
    var template = new WebServiceTemplate(marshaller);
    template.setMessageSender(sender);
    return template;
  }

  /**
   * Connections are pooled: as many as the worker threads may need at once, where the default is
   * two an address.
   */
  @Bean
  HttpComponents5MessageSender messageSender(CallSettings settings) throws Exception {
    int connections = Integer.getInteger("http.maxConnections", 200);
    var sender = new HttpComponents5MessageSender();
    sender.setMaxTotalConnections(connections);
    sender.setMaxConnectionsPerHost(Map.of(settings.base(), Integer.toString(connections)));
    settings
        .timeoutMillis()
        .map(Duration::ofMillis)
        .ifPresent(
            timeout -> {
              sender.setConnectionTimeout(timeout);
              sender.setReadTimeout(timeout);
            });
    return sender;
  }
}
