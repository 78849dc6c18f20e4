package steelyard.soakit.service;

import jakarta.xml.ws.Provider;
import jakarta.xml.ws.Service;
import jakarta.xml.ws.ServiceMode;
import jakarta.xml.ws.WebServiceProvider;
import javax.xml.transform.Source;

/**
 * TV Dinner by rpc/literal, where the document is XML of the message: the same at its own address.
 */
@WebServiceProvider(
    serviceName = "TVDinnerRpc",
    portName = "TVDinnerRpcPort",
    targetNamespace = "urn:steelyard:soakit")
@ServiceMode(Service.Mode.PAYLOAD)
public class TVDinnerRpcEndpoint extends TVDinnerEndpoint implements Provider<Source> {}
