package steelyard.cxf.security;

import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.CallbackHandler;
import org.apache.cxf.Bus;
import org.apache.cxf.ws.security.wss4j.DefaultCryptoCoverageChecker;
import org.apache.cxf.ws.security.wss4j.WSS4JOutInterceptor;
import org.apache.wss4j.common.ConfigurationConstants;
import org.apache.wss4j.common.WSS4JConstants;
import org.apache.wss4j.common.crypto.Merlin;
import org.apache.wss4j.common.ext.WSPasswordCallback;

/**
 * What CXF loads with every bus: requests must have a body that is signed, encrypted, or both, as
 * the variable STEELYARD_FORMAT says, and so have answers. The key stores are on the class path.
 */
public final class BodySecurity {

  private static final String OWN = "server";
  private static final String PEER = "client";
  private static final String PASSWORD = "steelyard";

  /** Adds the interceptors to a bus. */
  public BodySecurity(Bus bus) {
    this(bus, Protection.of(System.getenv("STEELYARD_FORMAT")));
  }

  BodySecurity(Bus bus, Protection protection) {
    Map<String, Object> settings = settings(protection);
    bus.getInInterceptors().add(new StrictInInterceptor(settings));
    bus.getInInterceptors().add(coverage(protection));
    bus.getOutInterceptors().add(new WSS4JOutInterceptor(settings));
  }

  /** That an action was performed says nothing of the element that it was performed on. */
  private static DefaultCryptoCoverageChecker coverage(Protection protection) {
    var checker = new DefaultCryptoCoverageChecker();
    checker.addAfter(StrictInInterceptor.class.getName());
    checker.setSignBody(protection.signed());
    checker.setEncryptBody(protection.encrypted());
    return checker;
  }

  private static Map<String, Object> settings(Protection protection) {
    Map<String, Object> settings = new HashMap<>();
    settings.put(ConfigurationConstants.ACTION, protection.actions());
    settings.put(ConfigurationConstants.PW_CALLBACK_REF, passwords());
    settings.put(ConfigurationConstants.SIGNATURE_USER, OWN);
    settings.put(ConfigurationConstants.SIG_PROP_REF_ID, "own");
    settings.put(ConfigurationConstants.DEC_PROP_REF_ID, "own");
    settings.put("own", store("keystore", "META-INF/server.p12"));
    settings.put(ConfigurationConstants.ENCRYPTION_USER, PEER);
    settings.put(ConfigurationConstants.ENC_PROP_REF_ID, "peer");
    settings.put(ConfigurationConstants.SIG_VER_PROP_REF_ID, "peer");
    settings.put("peer", store("truststore", "META-INF/trust.p12"));
    settings.put(ConfigurationConstants.SIG_ALGO, WSS4JConstants.RSA_SHA256);
    settings.put(ConfigurationConstants.SIG_DIGEST_ALGO, WSS4JConstants.SHA256);
    settings.put(ConfigurationConstants.SIG_C14N_ALGO, WSS4JConstants.C14N_EXCL_OMIT_COMMENTS);
    settings.put(ConfigurationConstants.SIG_KEY_ID, "DirectReference");
    settings.put(ConfigurationConstants.ENC_SYM_ALGO, WSS4JConstants.AES_256_GCM);
    settings.put(ConfigurationConstants.ENC_KEY_TRANSPORT, WSS4JConstants.KEYTRANSPORT_RSAOAEP);
    settings.put(ConfigurationConstants.ENC_KEY_ID, "IssuerSerial");
    return settings;
  }

  private static Properties store(String kind, String file) {
    var properties = new Properties();
    properties.setProperty("org.apache.wss4j.crypto.provider", Merlin.class.getName());
    String prefix = Merlin.PREFIX + kind + ".";
    properties.setProperty(prefix + "file", file);
    properties.setProperty(prefix + "type", "PKCS12");
    properties.setProperty(prefix + "password", PASSWORD);
    return properties;
  }

  private static CallbackHandler passwords() {
    return callbacks -> {
      for (Callback callback : callbacks) {
        if (callback instanceof WSPasswordCallback asked) {
          asked.setPassword(PASSWORD);
        }
      }
    };
  }
}
