// RelationalNetwork: sums a function of all pairs of places in an image and a question.
//
// Santoro, Raposo, Barrett, Malinowski, Pascanu, Battaglia, Lillicrap: A simple neural network
// module for relational reasoning, 2017, arXiv 1706.01427, equation 1: f(sum of g(o_i, o_j, q)).
// This component is the sum; use a FeedForwardNetwork after it as f.

#include "inputs.hpp"
#include "tensor_checks.hpp"

#include <ptp/component.hpp>

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/stack.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>

class RelationalNetwork {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "RelationalNetwork";
    static constexpr const char* summary =
        "Sums a function of all pairs of places in feature maps and a question";
    static constexpr const char* description =
        "An object is the vector of one place in the feature maps; with use_coordinates also its "
        "row and its column, from -1 to 1, in the middle of the place. outputs = sum of g(o_i, "
        "o_j, q) over all ordered pairs of objects, each with itself too. g is, for each of "
        "g_theta_sizes, a linear layer, ReLU and, if dropout_rate is not 0, dropout; then a linear "
        "layer of the last of these sizes. The f of the paper is a FeedForwardNetwork behind it. "
        "Memory and time grow with the square of the number of places: encode images to 5 x 5, not "
        "to 14 x 14.\n"
        "Santoro et al. 2017, arXiv 1706.01427, equation 1; their objects have coordinates.";

    static constexpr std::array ports{
        fusion::kFeatureMaps, fusion::kQuestionEncodings,
        ptp::output("outputs", PTP_FLOAT, "B, output_size", "The sum over all pairs")};
    static constexpr std::array globals{
        fusion::kFeatureMapDepth, fusion::kFeatureMapHeight, fusion::kFeatureMapWidth,
        fusion::kQuestionEncodingSize,
        ptp::publishes("output_size", "Length of an output: the last of g_theta_sizes")
            .value("$g_theta_sizes[-1]")};

    struct Config {
        std::vector<int64_t> g_theta_sizes{256, 256, 256};
        double dropout_rate = 0.0;
        bool use_coordinates = false;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("g_theta_sizes", &Config::g_theta_sizes,
                             {.help = "Width of each hidden layer of g, input side first",
                              .range = "[1, inf)",
                              .length = "[1, inf)",
                              .takes_list_or_one = true}),
                ptp::setting("dropout_rate", &Config::dropout_rate,
                             {.help = "Chance of dropping a hidden unit of g while training",
                              .range = "[0, 1)"}),
                ptp::setting("use_coordinates", &Config::use_coordinates,
                             {.help = "Whether an object knows its row and its column"})};
        }
    };

    RelationalNetwork(const Config& config, ptp::Setup& setup)
        : dropout_rate_(config.dropout_rate),
          use_coordinates_(config.use_coordinates),
          depth_(setup.size("feature_map_depth")),
          question_size_(setup.size("question_encoding_size")) {
        const int64_t object = depth_ + (use_coordinates_ ? 2 : 0);
        int64_t width = 2 * object + question_size_;
        torch::nn::Sequential g_theta;
        for (const int64_t next : config.g_theta_sizes) {
            g_theta->push_back(linears_.emplace_back(width, next));
            g_theta->push_back(torch::nn::ReLU());
            if (dropout_rate_ > 0) {
                g_theta->push_back(torch::nn::Dropout(dropout_rate_));
            }
            width = next;
        }
        g_theta->push_back(linears_.emplace_back(width, width));
        net_->register_module("g_theta", g_theta);
        setup.publish("output_size", width);
    }

    at::Tensor forward(const at::Tensor& feature_maps, const at::Tensor& question_encodings) {
        using ptp::support::kAnySize;
        using ptp::support::require_declared_sizes;
        require_declared_sizes("feature_maps", feature_maps,
                               {kAnySize, depth_, kAnySize, kAnySize});
        require_declared_sizes("question_encodings", question_encodings,
                               {feature_maps.size(0), question_size_});
        const at::Tensor objects = objects_of(feature_maps);
        const int64_t count = objects.size(1);
        at::Tensor pairs = first_layer(objects, question_encodings);
        for (size_t i = 1; i + 1 < linears_.size(); ++i) {
            pairs = drop(linears_[i]->forward(pairs).relu_());  // [B N N, G] -> [B N N, G']
        }
        // The last layer is linear, like the sum, and so is applied after it, to one vector per
        // sample instead of N N: sum of (W h + b) = W (sum of h) + N N b.
        const at::Tensor sum =
            pairs.view({objects.size(0), count * count, -1}).sum(1);  // -> [B, G]
        const torch::nn::Linear& last = linears_.back();
        return at::linear(sum, last->weight) + last->bias * (count * count);
    }

    torch::nn::Module& module() { return *net_; }

private:
    // Returns the vectors of all places, row by row. [B, D, H, W] -> [B, N, D or D + 2]
    at::Tensor objects_of(const at::Tensor& maps) const {
        const at::Tensor objects = maps.flatten(2).transpose(1, 2);
        if (!use_coordinates_) {
            return objects;
        }
        const int64_t height = maps.size(2);
        const int64_t width = maps.size(3);
        const auto middles = [&](int64_t count) {
            return (at::arange(count, maps.options()) * 2 + 1) / count - 1;
        };
        const at::Tensor rows = middles(height).unsqueeze(1).expand({height, width});
        const at::Tensor columns = middles(width).unsqueeze(0).expand({height, width});
        const at::Tensor places = at::stack({rows, columns}, 2).reshape({1, height * width, 2});
        return at::cat({objects, places.expand({maps.size(0), -1, -1})}, 2);
    }

    // Applies the first layer to all concatenations (o_i, o_j, q) without making them: it is linear
    // in each of the three, so each is multiplied once with its columns of the weight, and the
    // products are added. [B, N, D], [B, Q] -> [B N N, G]
    at::Tensor first_layer(const at::Tensor& objects, const at::Tensor& questions) {
        const int64_t object = objects.size(2);
        const at::Tensor& weight = linears_.front()->weight;
        const at::Tensor first = at::linear(objects, weight.narrow(1, 0, object));
        const at::Tensor second = at::linear(objects, weight.narrow(1, object, object));
        const at::Tensor question = at::linear(
            questions, weight.narrow(1, 2 * object, question_size_), linears_.front()->bias);
        const at::Tensor pairs =
            (first + question.unsqueeze(1)).unsqueeze(2) + second.unsqueeze(1);  // [B, N, N, G]
        return drop(pairs.relu_().flatten(0, 2));
    }

    at::Tensor drop(const at::Tensor& hidden) const {
        return dropout_rate_ > 0 ? at::dropout(hidden, dropout_rate_, net_->is_training()) : hidden;
    }

    double dropout_rate_;
    bool use_coordinates_;
    int64_t depth_;                           // of the feature maps
    int64_t question_size_;                   // of an encoded question
    std::vector<torch::nn::Linear> linears_;  // the layers of g_theta
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
};

template const ptp_component_info& ptp::component<RelationalNetwork>();
