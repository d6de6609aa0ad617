// Recurrent networks. libtorch and ONNX order the gates otherwise: an LSTM's are i, f, g, o and
// i, o, f, g there; a GRU's r, z, n and z, r, n.

#include "ptp-export/rows.hpp"

#include <algorithm>

namespace ptp::onnx {

namespace {

struct Cell {
    const char* type;  // the operator
    Integers gates;    // the place in libtorch of each gate of ONNX
};

class Recurrent {
public:
    Recurrent(Translation& translation, Cell cell)
        : t_(translation), cell_(std::move(cell)), weights_(t_.list("params")) {
        layers_ = t_.integer("num_layers");
        directions_ = t_.flag("bidirectional") ? 2 : 1;
        has_bias_ = t_.flag("has_biases");
        is_lstm_ = std::string_view(cell_.type) == "LSTM";
    }

    // `lengths` is the name of the number of steps of each sample, or "".
    void run(std::string x, const std::string& lengths) {
        Names last;
        Names last_cells;
        for (std::int64_t layer = 0; layer < layers_; ++layer) {
            const Names made = run_layer(layer, x, lengths);
            // [L, directions, B, H] -> [L, B, directions * H]
            const std::string turned =
                t_.emit("Transpose", {made[0]}, {{"perm", Integers{0, 2, 1, 3}}});
            x = t_.emit("Reshape", {turned, t_.constant(Integers{0, 0, -1})});
            last.push_back(made[1]);
            if (is_lstm_) {
                last_cells.push_back(made[2]);
            }
        }
        outputs_ = x;
        t_.give(joined(last), 1);
        if (is_lstm_) {
            t_.give(joined(last_cells), 2);
        }
    }

    [[nodiscard]] const std::string& outputs() const { return outputs_; }

private:
    Names run_layer(std::int64_t layer, const std::string& x, const std::string& lengths) {
        const GraphTensor& hidden = weight(layer, 0, 1);
        Names inputs = {x,
                        joined_weights(layer, 0),
                        joined_weights(layer, 1),
                        has_bias_ ? joined_biases(layer) : "",
                        lengths,
                        state(0, layer)};
        if (is_lstm_) {
            inputs.push_back(state(1, layer));
        }
        Attributes attributes = {
            {"hidden_size", hidden.sizes[1].constant},
            {"direction", std::string(directions_ == 2 ? "bidirectional" : "forward")}};
        if (std::string_view(cell_.type) == "GRU") {
            attributes.push_back({"linear_before_reset", std::int64_t{1}});
        }
        return t_.emit_several(cell_.type, inputs, attributes, is_lstm_ ? 3 : 2);
    }

    // Weights of a layer in libtorch's order: of the input, of the state, and their biases.
    [[nodiscard]] const GraphArgument& parameter(std::int64_t layer, std::int64_t direction,
                                                 std::size_t number) const {
        const std::size_t per_direction = has_bias_ ? 4 : 2;
        return weights_.at(
            static_cast<std::size_t>(layer * directions_ + direction) * per_direction + number);
    }

    [[nodiscard]] const GraphTensor& weight(std::int64_t layer, std::int64_t direction,
                                            std::size_t number) const {
        return t_.graph().tensors
            [std::get<engine::TensorIndex>(parameter(layer, direction, number).value).index];
    }

    // Returns the bytes of a weight with its gates in ONNX's order.
    [[nodiscard]] std::string ordered(std::int64_t layer, std::int64_t direction,
                                      std::size_t number) const {
        const GraphTensor& tensor = weight(layer, direction, number);
        if (tensor.data == nullptr || tensor.type != GraphType::kFloat) {
            t_.refuse("its weights are computed, and not stored as float32");
        }
        const std::size_t part = tensor.bytes / cell_.gates.size();
        std::string bytes;
        for (const std::int64_t gate : cell_.gates) {
            bytes.append(
                static_cast<const char*>(tensor.data) + static_cast<std::size_t>(gate) * part,
                part);
        }
        return bytes;
    }

    std::string joined_weights(std::int64_t layer, std::size_t number) {
        std::string bytes;
        for (std::int64_t direction = 0; direction < directions_; ++direction) {
            bytes += ordered(layer, direction, number);
        }
        const GraphTensor& tensor = weight(layer, 0, number);
        return t_.stored(number == 0 ? "W" : "R",
                         {directions_, tensor.sizes[0].constant, tensor.sizes[1].constant}, bytes);
    }

    std::string joined_biases(std::int64_t layer) {
        std::string bytes;
        for (std::int64_t direction = 0; direction < directions_; ++direction) {
            bytes += ordered(layer, direction, 2) + ordered(layer, direction, 3);
        }
        return t_.stored("B", {directions_, 2 * weight(layer, 0, 2).sizes[0].constant}, bytes);
    }

    // Returns the first state of a layer: [directions, B, H] of [layers * directions, B, H].
    std::string state(std::size_t number, std::int64_t layer) {
        const std::string whole =
            is_lstm_ ? t_.name_of(t_.list("hx").at(number).value) : t_.tensor("hx");
        if (layers_ == 1) {
            return whole;
        }
        return t_.emit(
            "Slice", {whole, t_.constant(Integers{layer * directions_}),
                      t_.constant(Integers{(layer + 1) * directions_}), t_.constant(Integers{0})});
    }

    std::string joined(const Names& parts) {
        return parts.size() == 1 ? parts.front()
                                 : t_.emit("Concat", parts, {{"axis", std::int64_t{0}}});
    }

    Translation& t_;
    const Cell cell_;
    const std::vector<GraphArgument>& weights_;
    std::int64_t layers_ = 1;
    std::int64_t directions_ = 1;
    bool has_bias_ = true;
    bool is_lstm_ = false;
    std::string outputs_;
};

std::string turned_around(Translation& t, const std::string& x) {
    return t.emit("Transpose", {x}, {{"perm", Integers{1, 0, 2}}});
}

// Packed sequences stay padded in the file: their numbers are the steps of each sample.
void run_recurrent(Translation& t, const Cell& cell) {
    Recurrent recurrent(t, cell);
    if (t.has("batch_sizes")) {
        recurrent.run(t.tensor("data"), t.tensor("batch_sizes"));
        t.give(recurrent.outputs());
        return;
    }
    const bool is_batch_first = t.flag("batch_first");
    const std::string x = t.tensor("input");
    recurrent.run(is_batch_first ? turned_around(t, x) : x, "");
    t.give(is_batch_first ? turned_around(t, recurrent.outputs()) : recurrent.outputs());
}

void pack(Translation& t) {
    const std::string x = t.tensor("input");
    t.give(t.flag("batch_first") ? turned_around(t, x) : x, 0);
    t.give(t.cast(t.tensor("lengths"), GraphType::kInt32), 1);
}

void unpack(Translation& t) {
    const std::string x = t.tensor("data");
    if (t.real("padding_value", 0) != 0) {
        t.refuse("padding with another number than 0");
    }
    t.give(t.flag("batch_first") ? turned_around(t, x) : x, 0);
}

void lstm(Translation& t) {
    run_recurrent(t, {"LSTM", {0, 3, 1, 2}});
}

void gru(Translation& t) {
    run_recurrent(t, {"GRU", {1, 0, 2}});
}

void rnn_tanh(Translation& t) {
    run_recurrent(t, {"RNN", {0}});
}

constexpr Row kRecurrentRows[] = {{"lstm", lstm},
                                  {"gru", gru},
                                  {"rnn_tanh", rnn_tanh},
                                  {"_pack_padded_sequence", pack},
                                  {"_pad_packed_sequence", unpack}};

}  // namespace

std::span<const Row> recurrent_rows() {
    return kRecurrentRows;
}

}  // namespace ptp::onnx
