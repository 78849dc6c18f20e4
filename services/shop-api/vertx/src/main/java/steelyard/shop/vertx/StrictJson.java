package steelyard.shop.vertx;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.type.LogicalType;
import io.vertx.core.json.jackson.DatabindCodec;

/** Vert.x's JSON, which by itself reads the text "1" and the fraction 1.5 as the number 1. */
final class StrictJson {

  private StrictJson() {}

  /** Makes it refuse values of other types. */
  static void set() {
    ObjectMapper mapper = DatabindCodec.mapper();
    mapper.disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT);
    refuse(mapper, LogicalType.Integer, CoercionInputShape.String, CoercionInputShape.EmptyString);
    refuse(mapper, LogicalType.Float, CoercionInputShape.String, CoercionInputShape.EmptyString);
    refuse(
        mapper,
        LogicalType.Boolean,
        CoercionInputShape.String,
        CoercionInputShape.EmptyString,
        CoercionInputShape.Integer);
    refuse(
        mapper,
        LogicalType.Textual,
        CoercionInputShape.Integer,
        CoercionInputShape.Float,
        CoercionInputShape.Boolean);
  }

  private static void refuse(ObjectMapper mapper, LogicalType type, CoercionInputShape... shapes) {
    for (CoercionInputShape shape : shapes) {
      mapper.coercionConfigFor(type).setCoercion(shape, CoercionAction.Fail);
    }
  }
}
