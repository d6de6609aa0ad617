// Operations on each number, or on each pair of numbers.

#include "ptp-export/rows.hpp"

#include <cmath>
#include <string>

namespace ptp::onnx {

namespace {

// The type in which two arguments are compared or computed: that of tensors with dimensions.
GraphType common_type(const Translation& t) {
    const auto type_of = [&](std::string_view argument) {
        const bool is_tensor = std::holds_alternative<engine::TensorIndex>(t.value(argument));
        return is_tensor && t.rank(argument) > 0 ? t.described(argument).type : GraphType::kOther;
    };
    const GraphType self = type_of("self");
    const GraphType other = type_of("other");
    const auto is_real = [](GraphType type) {
        return type == GraphType::kFloat || type == GraphType::kDouble;
    };
    if (std::holds_alternative<double>(t.value("other")) && !is_real(self)) {
        return GraphType::kFloat;
    }
    if (self == GraphType::kOther && other == GraphType::kOther) {
        return t.described("self").type;
    }
    return self == GraphType::kOther || (is_real(other) && !is_real(self)) ||
                   (self == GraphType::kBool && other != GraphType::kOther)
               ? other
               : self;
}

std::string first(Translation& t, GraphType type) {
    return t.tensor_as(t.value("self"), type);
}

std::string second(Translation& t, GraphType type) {
    return t.tensor_as(t.value("other"), type);
}

template <const char* kOperator>
void unary(Translation& t) {
    const GraphType type = t.result().type;
    t.give(t.emit(kOperator, {first(t, type)}));
}

template <const char* kOperator>
void binary(Translation& t) {
    const GraphType type = t.result().type;
    t.give(t.emit(kOperator, {first(t, type), second(t, type)}));
}

// The second is multiplied by `alpha`.
template <const char* kOperator>
void sum(Translation& t) {
    const GraphType type = t.result().type;
    std::string other = second(t, type);
    if (const double alpha = t.real("alpha", 1); alpha != 1) {
        other = t.emit("Mul", {other, t.scalar(alpha, type)});
    }
    t.give(t.emit(kOperator, {first(t, type), other}));
}

void reversed_difference(Translation& t) {
    const GraphType type = t.result().type;
    std::string self = first(t, type);
    if (const double alpha = t.real("alpha", 1); alpha != 1) {
        self = t.emit("Mul", {self, t.scalar(alpha, type)});
    }
    t.give(t.emit("Sub", {second(t, type), self}));
}

void quotient(Translation& t) {
    const GraphType type = t.result().type;
    const std::string rounding = t.text("rounding_mode");
    if (!rounding.empty() && !(rounding == "floor" && type == GraphType::kFloat)) {
        t.refuse("rounding_mode of whole numbers");
    }
    const std::string result = t.emit("Div", {first(t, type), second(t, type)});
    t.give(rounding.empty() ? result : t.emit("Floor", {result}));
}

void power(Translation& t) {
    const GraphType type = t.result().type;
    t.give(t.emit("Pow", {first(t, type), t.tensor_as(t.value("exponent"), type)}));
}

template <const char* kOperator>
void comparison(Translation& t) {
    const GraphType type = common_type(t);
    const bool is_flag = type == GraphType::kBool;  // readers compare no flags by size
    const GraphType compared = is_flag ? GraphType::kInt32 : type;
    t.give(t.emit(kOperator, {first(t, compared), second(t, compared)}));
}

template <const char* kOperator>
void logic(Translation& t) {
    if (t.result().type != GraphType::kBool) {
        t.refuse("only flags are combined");
    }
    t.give(t.emit(kOperator, {first(t, GraphType::kBool), second(t, GraphType::kBool)}));
}

void negation(Translation& t) {
    if (t.result().type != GraphType::kBool) {
        t.refuse("only flags are negated");
    }
    t.give(t.emit("Not", {first(t, GraphType::kBool)}));
}

void convert(Translation& t) {
    const std::string name = t.tensor("self");
    t.give(t.result().type == t.described("self").type ? name : t.cast(name, t.result().type));
}

void reciprocal_root(Translation& t) {
    t.give(t.emit("Reciprocal", {t.emit("Sqrt", {t.tensor("self")})}));
}

void square(Translation& t) {
    t.give(t.emit("Mul", {t.tensor("self"), t.tensor("self")}));
}

// x Phi(x), or its approximation by tanh.
void gelu(Translation& t) {
    const auto number = [&](double value) { return t.scalar(value, GraphType::kFloat); };
    const std::string x = t.tensor("self");
    std::string inner;
    if (t.text("approximate") == "tanh") {
        const std::string cube = t.emit("Mul", {t.emit("Mul", {x, x}), x});
        const std::string sum = t.emit("Add", {x, t.emit("Mul", {cube, number(0.044715)})});
        inner = t.emit("Tanh", {t.emit("Mul", {sum, number(std::sqrt(2 / M_PI))})});
    } else {
        inner = t.emit("Erf", {t.emit("Mul", {x, number(std::sqrt(0.5))})});
    }
    const std::string factor = t.emit("Mul", {t.emit("Add", {inner, number(1)}), number(0.5)});
    t.give(t.emit("Mul", {x, factor}));
}

void silu(Translation& t) {
    const std::string x = t.tensor("self");
    t.give(t.emit("Mul", {x, t.emit("Sigmoid", {x})}));
}

void hard_sigmoid(Translation& t) {
    t.give(t.emit("HardSigmoid", {t.tensor("self")}, {{"alpha", 1.0 / 6}, {"beta", 0.5}}));
}

void leaky_relu(Translation& t) {
    t.give(t.emit("LeakyRelu", {t.tensor("self")}, {{"alpha", t.real("negative_slope", 0.01)}}));
}

void elu(Translation& t) {
    if (t.real("scale", 1) != 1 || t.real("input_scale", 1) != 1) {
        t.refuse("its scales");
    }
    t.give(t.emit("Elu", {t.tensor("self")}, {{"alpha", t.real("alpha", 1)}}));
}

void clamped(Translation& t, std::string_view least, std::string_view most) {
    const GraphType type = t.result().type;
    Names inputs = {first(t, type),
                    t.has(least) ? t.tensor_as(t.value(least), type) : std::string()};
    if (t.has(most)) {
        inputs.push_back(t.tensor_as(t.value(most), type));
    }
    t.give(t.emit("Clip", inputs));
}

void clamp(Translation& t) {
    clamped(t, "min", "max");
}

void hard_tanh(Translation& t) {
    clamped(t, "min_val", "max_val");
}

void relu6(Translation& t) {
    t.give(t.emit("Clip", {t.tensor("self"), t.scalar(0, GraphType::kFloat),
                           t.scalar(6, GraphType::kFloat)}));
}

template <const char* kOperator>
void probabilities(Translation& t) {
    t.give(t.emit(kOperator, {first(t, t.result().type)}, {{"axis", t.axis("dim", "self")}}));
}

constexpr char kAbs[] = "Abs";
constexpr char kAdd[] = "Add";
constexpr char kAnd[] = "And";
constexpr char kCos[] = "Cos";
constexpr char kEqual[] = "Equal";
constexpr char kErf[] = "Erf";
constexpr char kExp[] = "Exp";
constexpr char kFloor[] = "Floor";
constexpr char kGreater[] = "Greater";
constexpr char kGreaterOrEqual[] = "GreaterOrEqual";
constexpr char kHardSwish[] = "HardSwish";
constexpr char kLess[] = "Less";
constexpr char kLessOrEqual[] = "LessOrEqual";
constexpr char kLog[] = "Log";
constexpr char kLogSoftmax[] = "LogSoftmax";
constexpr char kMax[] = "Max";
constexpr char kMin[] = "Min";
constexpr char kMul[] = "Mul";
constexpr char kNeg[] = "Neg";
constexpr char kOr[] = "Or";
constexpr char kReciprocal[] = "Reciprocal";
constexpr char kRelu[] = "Relu";
constexpr char kSigmoid[] = "Sigmoid";
constexpr char kSign[] = "Sign";
constexpr char kSin[] = "Sin";
constexpr char kSoftmax[] = "Softmax";
constexpr char kSoftplus[] = "Softplus";
constexpr char kSqrt[] = "Sqrt";
constexpr char kSub[] = "Sub";
constexpr char kTanh[] = "Tanh";

void different(Translation& t) {
    const GraphType type = common_type(t);
    t.give(t.emit("Not", {t.emit(kEqual, {first(t, type), second(t, type)})}));
}

constexpr Row kNumberRows[] = {{"abs", unary<kAbs>},
                               {"cos", unary<kCos>},
                               {"erf", unary<kErf>},
                               {"exp", unary<kExp>},
                               {"floor", unary<kFloor>},
                               {"hardswish", unary<kHardSwish>},
                               {"log", unary<kLog>},
                               {"neg", unary<kNeg>},
                               {"reciprocal", unary<kReciprocal>},
                               {"relu", unary<kRelu>},
                               {"sigmoid", unary<kSigmoid>},
                               {"sign", unary<kSign>},
                               {"sin", unary<kSin>},
                               {"softplus", unary<kSoftplus>},
                               {"sqrt", unary<kSqrt>},
                               {"tanh", unary<kTanh>},
                               {"rsqrt", reciprocal_root},
                               {"square", square},
                               {"gelu", gelu},
                               {"silu", silu},
                               {"hardsigmoid", hard_sigmoid},
                               {"hardtanh", hard_tanh},
                               {"relu6", relu6},
                               {"leaky_relu", leaky_relu},
                               {"elu", elu},
                               {"clamp", clamp},
                               {"clamp_min", clamp},
                               {"clamp_max", clamp},
                               {"softmax", probabilities<kSoftmax>},
                               {"log_softmax", probabilities<kLogSoftmax>},
                               {"_softmax", probabilities<kSoftmax>},
                               {"_log_softmax", probabilities<kLogSoftmax>},
                               {"add", sum<kAdd>},
                               {"sub", sum<kSub>},
                               {"rsub", reversed_difference},
                               {"mul", binary<kMul>},
                               {"div", quotient},
                               {"maximum", binary<kMax>},
                               {"minimum", binary<kMin>},
                               {"pow", power},
                               {"eq", comparison<kEqual>},
                               {"ne", different},
                               {"lt", comparison<kLess>},
                               {"le", comparison<kLessOrEqual>},
                               {"gt", comparison<kGreater>},
                               {"ge", comparison<kGreaterOrEqual>},
                               {"logical_and", logic<kAnd>},
                               {"logical_or", logic<kOr>},
                               {"bitwise_and", logic<kAnd>},
                               {"bitwise_or", logic<kOr>},
                               {"__and__", logic<kAnd>},
                               {"__or__", logic<kOr>},
                               {"logical_not", negation},
                               {"bitwise_not", negation},
                               {"to", convert},
                               {"type_as", convert},
                               {"_cast_Float", convert},
                               {"_cast_Long", convert}};

}  // namespace

std::span<const Row> number_rows() {
    return kNumberRows;
}

}  // namespace ptp::onnx
