package steelyard.rmi;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The number by which a remote method is called: of its name and descriptor (Java RMI
 * specification, 8.3).
 */
final class MethodNumber {

  private MethodNumber() {}

  static long of(Method method) {
    String descriptor =
        MethodType.methodType(method.getReturnType(), method.getParameterTypes())
            .toMethodDescriptorString();
    var text = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(text)) {
      out.writeUTF(method.getName() + descriptor);
      byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.toByteArray());
      return ByteBuffer.wrap(digest).order(ByteOrder.LITTLE_ENDIAN).getLong();
    } catch (IOException | NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-1", e);
    }
  }
}
