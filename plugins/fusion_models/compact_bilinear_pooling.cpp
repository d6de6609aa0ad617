// CompactBilinearPooling: the outer product of an image and a question, in random sums.
//
// Fukui, Park, Yang, Rohrbach, Darrell, Rohrbach: Multimodal compact bilinear pooling for visual
// question answering and visual grounding, 2016, arXiv 1606.01847, algorithm 1.

#include "inputs.hpp"

#include <ptp/component.hpp>

#include <ATen/ops/arange.h>
#include <ATen/ops/fft_irfft.h>
#include <ATen/ops/fft_rfft.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/zeros.h>
#include <torch/nn/module.h>

class CompactBilinearPooling {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "CompactBilinearPooling";
    static constexpr const char* summary =
        "Joins an image and a question by a sketch of their outer product";
    static constexpr const char* description =
        "The count sketch of a vector adds each element, with a random sign, to a random place of "
        "a vector of output_size. The circular convolution of the sketches of image and question, "
        "computed by Fourier transforms, is the sketch of their outer product, and the output. "
        "Signs and places are drawn once, when the component is made, and are saved with it. With "
        "trainable_projections the sketches are matrices that begin like this and are learned; "
        "else nothing is learned here. Nothing is normalized; the paper takes a signed square root "
        "and divides by the length, as FactorizedBilinearPooling does.\n"
        "Fukui et al. 2016, arXiv 1606.01847, algorithm 1.";

    static constexpr std::array ports{
        fusion::kImageEncodings, fusion::kQuestionEncodings,
        ptp::output("outputs", PTP_FLOAT, "B, output_size",
                    "Sketch of the outer product of image and question")};
    static constexpr std::array globals{fusion::kImageEncodingSize, fusion::kQuestionEncodingSize,
                                        ptp::reads("output_size", "Length of an output")};

    struct Config {
        bool trainable_projections = false;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("trainable_projections", &Config::trainable_projections,
                             {.help = "Whether the sketches are matrices that are learned"})};
        }
    };

    CompactBilinearPooling(const Config& config, ptp::Setup& setup)
        : size_(setup.size("output_size")),
          image_(draw("image", setup.size("image_encoding_size"), config.trainable_projections)),
          question_(draw("question", setup.size("question_encoding_size"),
                         config.trainable_projections)) {}

    at::Tensor forward(const at::Tensor& image_encodings, const at::Tensor& question_encodings) {
        const at::Tensor image = at::fft_rfft(sketch(image_, image_encodings));
        const at::Tensor question = at::fft_rfft(sketch(question_, question_encodings));
        return at::fft_irfft(image * question, size_);  // [B, output_size / 2 + 1] -> [B, O]
    }

    // ONNX has no complex numbers: a spectrum is [B, O, 2], real and imaginary parts.
    void onnx(ptp::OnnxGraph& graph) const {
        const auto image = spectrum(graph, image_, "image", "image_encodings");
        const auto question = spectrum(graph, question_, "question", "question_encodings");
        const auto product = [&](std::size_t left, std::size_t right) {
            return graph.add("Mul", {image[left], question[right]});
        };
        const auto joined = graph.add("Concat",
                                      {graph.add("Sub", {product(0, 0), product(1, 1)}),
                                       graph.add("Add", {product(0, 1), product(1, 0)})},
                                      {{"axis", 2}});
        const auto whole = graph.add("DFT", {joined}, {{"axis", 1}, {"inverse", 1}});
        graph.output("outputs",
                     graph.add("Gather", {whole, graph.number(std::int64_t{0})}, {{"axis", 2}}));
    }

    torch::nn::Module& module() { return *net_; }

private:
    // The tensors as registered by the module: at::Tensor is a handle, and the module moves them to
    // another device in place.
    struct Sketch {
        at::Tensor places;  // [I] of integers
        at::Tensor signs;   // [I] of -1 and 1
        at::Tensor matrix;  // [I, O], replaces both if it is learned
    };

    Sketch draw(const std::string& of, int64_t length, bool is_trainable) {
        const at::Tensor places = at::randint(size_, {length}, at::kLong);
        const at::Tensor signs = at::randint(2, {length}, at::kFloat) * 2 - 1;
        if (!is_trainable) {
            return {.places = net_->register_buffer(of + "_sketch_places", places),
                    .signs = net_->register_buffer(of + "_sketch_signs", signs),
                    .matrix = {}};
        }
        const at::Tensor matrix = at::zeros({length, size_});
        matrix.index_put_({at::arange(length), places}, signs);
        return {.places = {},
                .signs = {},
                .matrix = net_->register_parameter(of + "_sketch_projection_matrix", matrix)};
    }

    // Computes in the type of the sketch, whatever that of the encodings is: a Fourier transform
    // needs floats if the previous models compute in bf16. [B, I] -> [B, O]
    at::Tensor sketch(const Sketch& made, const at::Tensor& encodings) const {
        if (made.matrix.defined()) {
            return at::matmul(encodings, made.matrix).to(made.matrix.scalar_type());
        }
        const at::Tensor empty = at::zeros({encodings.size(0), size_}, made.signs.options());
        return empty.index_add(1, made.places, encodings * made.signs);
    }

    // The real and the imaginary parts of the spectrum of a sketch, each [B, O, 1].
    std::vector<ptp::OnnxGraph::Value> spectrum(ptp::OnnxGraph& graph, const Sketch& made,
                                                const std::string& of, const char* port) const {
        const auto column = graph.add(
            "Unsqueeze", {onnx_sketch(graph, made, of, graph.input(port)), graph.integers({2})});
        const auto whole = graph.add("DFT", {column}, {{"axis", 1}});
        return graph.add_several("Split", {whole}, {{"axis", 2}}, 2);
    }

    ptp::OnnxGraph::Value onnx_sketch(ptp::OnnxGraph& graph, const Sketch& made,
                                      const std::string& of,
                                      ptp::OnnxGraph::Value encodings) const {
        if (made.matrix.defined()) {
            return graph.add("MatMul",
                             {encodings, graph.weight((of + "_sketch_projection_matrix").c_str())});
        }
        const auto shape = graph.add("Shape", {encodings});
        const auto batch = graph.add("Shape", {encodings}, {{"start", 0}, {"end", 1}});
        const auto sizes = graph.add("Concat", {batch, graph.integers({size_})}, {{"axis", 0}});
        const auto places = graph.weight((of + "_sketch_places").c_str());
        const auto signs = graph.weight((of + "_sketch_signs").c_str());
        return graph.add(
            "ScatterElements",
            {graph.add("Expand", {graph.number(0.0F), sizes}), graph.add("Expand", {places, shape}),
             graph.add("Mul", {encodings, signs})},
            {{"axis", 1}, {"reduction", "add"}});
    }

    int64_t size_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    Sketch image_;
    Sketch question_;
};

template const ptp_component_info& ptp::component<CompactBilinearPooling>();
