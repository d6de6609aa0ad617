// Operations on each number, or on each pair of numbers.

#include "ptp-export/rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace ptp::onnx {

namespace {

// Returns the type that holds the numbers of both; kOther: there is none yet.
GraphType promoted(GraphType one, GraphType other) {
    constexpr std::array kOrder = {GraphType::kOther, GraphType::kBool,  GraphType::kByte,
                                   GraphType::kInt32, GraphType::kInt64, GraphType::kHalf,
                                   GraphType::kFloat, GraphType::kDouble};
    const auto place = [&](GraphType type) { return std::ranges::find(kOrder, type); };
    return place(one) < place(other) ? other : one;
}

bool is_real(GraphType type) {
    return type == GraphType::kHalf || type == GraphType::kFloat || type == GraphType::kDouble;
}

// The type of tensors with dimensions holds, unless a single number is of a higher category:
// flags, whole numbers, real numbers.
GraphType combined(GraphType higher, GraphType lower) {
    const bool is_promoted =
        higher == GraphType::kOther || higher == GraphType::kBool || is_real(lower);
    return is_promoted && !is_real(higher) ? promoted(higher, lower) : higher;
}

// The type in which libtorch compares two arguments.
GraphType common_type(const Translation& t) {
    GraphType with_dimensions = GraphType::kOther;
    GraphType without = GraphType::kOther;
    GraphType numbers = GraphType::kOther;
    for (const std::string_view argument : {"self", "other"}) {
        const GraphArgument::Value& value = t.value(argument);
        if (std::holds_alternative<engine::TensorIndex>(value)) {
            const GraphType type = t.described(argument).type;
            if (type == GraphType::kOther) {
                t.refuse("it compares numbers of a type that ONNX does not have");
            }
            GraphType& known = t.rank(argument) > 0 ? with_dimensions : without;
            known = promoted(known, type);
        } else {
            numbers = promoted(numbers, std::holds_alternative<double>(value) ? GraphType::kFloat
                                        : std::holds_alternative<bool>(value) ? GraphType::kBool
                                                                              : GraphType::kInt64);
        }
    }
    return combined(with_dimensions, combined(without, numbers));
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
    if (t.real("alpha", 1) != 1) {
        other = t.emit("Mul", {other, t.tensor_as(t.value("alpha"), type)});
    }
    t.give(t.emit(kOperator, {first(t, type), other}));
}

void reversed_difference(Translation& t) {
    const GraphType type = t.result().type;
    std::string self = first(t, type);
    if (t.real("alpha", 1) != 1) {
        self = t.emit("Mul", {self, t.tensor_as(t.value("alpha"), type)});
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

// The sign is that of the divisor, for reals too; Mod has it for whole numbers alone.
void remainder(Translation& t) {
    const GraphType type = t.result().type;
    const std::string self = first(t, type);
    const std::string other = second(t, type);
    if (type != GraphType::kFloat) {
        t.give(t.emit("Mod", {self, other}));
        return;
    }
    const std::string times = t.emit("Floor", {t.emit("Div", {self, other})});
    t.give(t.emit("Sub", {self, t.emit("Mul", {times, other})}));
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

// log(1 + exp(beta x)) / beta. Beyond its usual threshold libtorch's is x within rounding.
void softplus(Translation& t) {
    constexpr double kUsualThreshold = 20;
    if (t.real("threshold", kUsualThreshold) != kUsualThreshold) {
        t.refuse("a threshold other than 20");
    }
    const GraphType type = t.result().type;
    const std::string x = first(t, type);
    const double beta = t.real("beta", 1);
    if (beta == 1) {
        t.give(t.emit("Softplus", {x}));
        return;
    }
    const std::string factor = t.scalar(beta, type);
    t.give(t.emit("Div", {t.emit("Softplus", {t.emit("Mul", {x, factor})}), factor}));
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
                               {"softplus", softplus},
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
                               {"remainder", remainder},
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
