package steelyard.cxf.security;

import java.util.Map;
import org.apache.cxf.binding.soap.SoapMessage;
import org.apache.cxf.ws.security.wss4j.WSS4JInInterceptor;
import org.apache.wss4j.common.WSS4JConstants;
import org.apache.wss4j.common.crypto.AlgorithmSuite;
import org.apache.wss4j.dom.handler.RequestData;

/** Takes the algorithms that answers have, and no others. */
final class StrictInInterceptor extends WSS4JInInterceptor {

  StrictInInterceptor(Map<String, Object> settings) {
    super(settings);
  }

  @Override
  protected void setAlgorithmSuites(SoapMessage message, RequestData data) {
    var suite = new AlgorithmSuite();
    suite.addSignatureMethod(WSS4JConstants.RSA_SHA256);
    suite.addDigestAlgorithm(WSS4JConstants.SHA256);
    suite.addDigestAlgorithm(WSS4JConstants.SHA1); // what RSA-OAEP means where it names none
    suite.addC14nAlgorithm(WSS4JConstants.C14N_EXCL_OMIT_COMMENTS);
    suite.addTransformAlgorithm(WSS4JConstants.C14N_EXCL_OMIT_COMMENTS);
    suite.addEncryptionMethod(WSS4JConstants.AES_256_GCM);
    suite.addKeyWrapAlgorithm(WSS4JConstants.KEYTRANSPORT_RSAOAEP);
    data.setAlgorithmSuite(suite);
  }
}
