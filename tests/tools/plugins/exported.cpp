// Models for the tests of `ptprun export`: one that can be exported in spite of sizes in its code,
// and some that cannot, each in the way that its summary says.

#include <ptp/plugin.hpp>

#include <ATen/ATen.h>

#include <vector>

namespace {

// What all of them declare.
struct OfImages {
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr std::array ports{ptp::input("inputs", PTP_FLOAT, "B, 3, 4, 4", "Images"),
                                      ptp::output("outputs", PTP_FLOAT, "B, 48", "Their numbers")};
};

// The numbers of its code follow from the batch.
class SizesOfBatch : public OfImages {
public:
    static constexpr const char* name = "SizesOfBatch";
    static constexpr const char* summary = "Reads the size of the batch in its code";

    at::Tensor forward(const at::Tensor& inputs) {
        const at::Tensor rows = inputs.reshape({inputs.size(0) * 3, 16});
        return rows.reshape({inputs.size(0), 48}) +
               at::zeros({inputs.size(0), 1}, inputs.options());
    }
};

class HalfOfBatch : public OfImages {
public:
    static constexpr const char* name = "HalfOfBatch";
    static constexpr const char* summary = "Adds half of the batch, rounded down";

    at::Tensor forward(const at::Tensor& inputs) {
        return inputs.flatten(1) + at::full({}, inputs.size(0) / 2, inputs.options());
    }
};

class LoopOverBatch : public OfImages {
public:
    static constexpr const char* name = "LoopOverBatch";
    static constexpr const char* summary = "Computes each sample by itself";

    at::Tensor forward(const at::Tensor& inputs) {
        std::vector<at::Tensor> rows;
        for (std::int64_t i = 0; i < inputs.size(0); ++i) {
            rows.push_back(inputs[i].flatten());
        }
        return at::stack(rows);
    }
};

class OwnMemory : public OfImages {
public:
    static constexpr const char* name = "OwnMemory";
    static constexpr const char* summary = "Computes in a loop of its own";

    at::Tensor forward(const at::Tensor& inputs) {
        at::Tensor made = at::empty({inputs.size(0), 48}, inputs.options());
        for (std::int64_t i = 0; i < made.numel(); ++i) {
            made.data_ptr<float>()[i] = inputs.data_ptr<float>()[i];
        }
        return made;
    }
};

class WritesItself : public OwnMemory {
public:
    static constexpr const char* name = "WritesItself";
    static constexpr const char* summary = "Computes in a loop of its own, and writes operators";

    void onnx(ptp::OnnxGraph& graph) {
        const auto flat = graph.add("Flatten", {graph.input("inputs")}, {{"axis", 1}});
        const auto zero = graph.add("Sub", {flat, flat});
        graph.output("outputs",
                     graph.add("Add", {flat, graph.add("Mul", {zero, graph.number(2.0)})}));
    }
};

class WritesOtherPort : public OwnMemory {
public:
    static constexpr const char* name = "WritesOtherPort";
    static constexpr const char* summary = "Reads a port that it does not have";

    void onnx(ptp::OnnxGraph& graph) { graph.output("outputs", graph.input("images")); }
};

class ReadsNoWeight : public OwnMemory {
public:
    static constexpr const char* name = "ReadsNoWeight";
    static constexpr const char* summary = "Reads a tensor that it does not have";

    void onnx(ptp::OnnxGraph& graph) { graph.output("outputs", graph.weight("scale")); }
};

class WritesNothing : public OwnMemory {
public:
    static constexpr const char* name = "WritesNothing";
    static constexpr const char* summary = "Writes no output";

    void onnx(ptp::OnnxGraph&) {}
};

class WritesNoName : public OwnMemory {
public:
    static constexpr const char* name = "WritesNoName";
    static constexpr const char* summary = "Reads a tensor without a name";

    void onnx(ptp::OnnxGraph& graph) { graph.output("outputs", graph.weight(nullptr)); }
};

class ChangesPart : public OfImages {
public:
    static constexpr const char* name = "ChangesPart";
    static constexpr const char* summary = "Changes a part of a tensor in place";

    at::Tensor forward(const at::Tensor& inputs) {
        at::Tensor made = inputs.flatten(1) * 1;
        made.select(1, 0).add_(1);
        return made;
    }
};

class DrawsNumbers : public OfImages {
public:
    static constexpr const char* name = "DrawsNumbers";
    static constexpr const char* summary = "Adds random numbers, in evaluation too";

    explicit DrawsNumbers(ptp::Setup& setup) : generator_(setup.generator()) {}

    at::Tensor forward(const at::Tensor& inputs) {
        return inputs.flatten(1) + at::rand({48}, generator_);
    }

private:
    at::Generator generator_;
};

class ChangesChunk : public OfImages {
public:
    static constexpr const char* name = "ChangesChunk";
    static constexpr const char* summary = "Changes an element of a list of parts in place";

    at::Tensor forward(const at::Tensor& inputs) {
        at::Tensor made = inputs.flatten(1) * 1;
        made.chunk(2, 1)[0].add_(1);
        return made;
    }
};

class FillsZeros : public OfImages {
public:
    static constexpr const char* name = "FillsZeros";
    static constexpr const char* summary = "Writes into zeros in a loop of its own";

    at::Tensor forward(const at::Tensor& inputs) {
        at::Tensor made = at::zeros({inputs.size(0), 48}, inputs.options());
        for (std::int64_t i = 0; i < made.numel(); ++i) {
            made.data_ptr<float>()[i] = inputs.data_ptr<float>()[i];
        }
        return made + inputs.flatten(1);
    }
};

class OtherForOne : public OfImages {
public:
    static constexpr const char* name = "OtherForOne";
    static constexpr const char* summary = "Multiplies batches of several samples by 2";

    // As a number read of the inputs that is the same in all batches that are traced.
    at::Tensor forward(const at::Tensor& inputs) {
        return inputs.flatten(1) * (inputs.size(0) > 1 ? 2.0 : 1.0);
    }
};

}  // namespace

PTP_PLUGIN("exported", "1.0.0", SizesOfBatch, HalfOfBatch, LoopOverBatch, OwnMemory, WritesItself,
           WritesOtherPort, ReadsNoWeight, WritesNothing, WritesNoName, ChangesPart, DrawsNumbers,
           ChangesChunk, FillsZeros, OtherForOne);
