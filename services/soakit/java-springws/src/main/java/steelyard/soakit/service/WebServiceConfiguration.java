package steelyard.soakit.service;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Configuration;
import org.springframework.ws.config.annotation.EnableWs;
import org.springframework.ws.soap.saaj.SaajSoapMessageFactory;

/**
 * Spring Web Services with its defaults but for unreadable messages, and this package's endpoints.
 */
@Configuration
@EnableWs
@ComponentScan
public class WebServiceConfiguration {

  @Bean
  SaajSoapMessageFactory messageFactory() {
    return new SaajSoapMessageFactory();
  }

  /** By the name that the message dispatcher looks for. */
  @Bean
  FaultingAdapter messageReceiverHandlerAdapter(SaajSoapMessageFactory messageFactory) {
    var adapter = new FaultingAdapter();
    adapter.setMessageFactory(messageFactory);
    return adapter;
  }
}
