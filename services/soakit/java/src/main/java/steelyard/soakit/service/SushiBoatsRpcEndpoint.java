package steelyard.soakit.service;

import jakarta.xml.ws.Provider;
import jakarta.xml.ws.Service;
import jakarta.xml.ws.ServiceMode;
import jakarta.xml.ws.WebServiceProvider;
import javax.xml.transform.Source;

/**
 * Sushi Boats by rpc/literal, where the document is XML of the message: the same at its own
 * address.
 */
@WebServiceProvider(
    serviceName = "SushiBoatsRpc",
    portName = "SushiBoatsRpcPort",
    targetNamespace = "urn:steelyard:soakit")
@ServiceMode(Service.Mode.PAYLOAD)
public class SushiBoatsRpcEndpoint extends SushiBoatsEndpoint implements Provider<Source> {}
