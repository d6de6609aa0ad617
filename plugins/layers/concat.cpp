// Concat: branches of layers that read the same, joined along one dimension.

#include "layer_list.hpp"

#include <ATen/ops/cat.h>
#include <torch/nn/module.h>

class Concat {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "Concat";
    static constexpr const char* summary =
        "Branches of layers that read the same, joined along one dimension";
    static constexpr const char* description =
        "branches = [[...], [...]] has a list of layers for each branch; an empty one is the input "
        "itself. The branches have the same sizes but along `dim`. Their weights are called by the "
        "numbers of the branch and of the layer, 0.2.weight.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "...", "What each branch reads"),
        ptp::output("outputs", PTP_FLOAT,
                    "branches[:$dim], (sum(branches[$dim])), branches[$dim + 1:]",
                    "What the branches make, one after the other")};
    static constexpr std::array requirements{
        ptp::requirement("min(rank(branches)) = max(rank(branches))",
                         "its branches must have as many dimensions each"),
        ptp::requirement("$dim < max(rank(branches))", "must be a dimension of the branches"),
        ptp::requirement("$dim = 1 or min(branches[1]) = max(branches[1])",
                         "the branches must have one size in dimension 1, since dim is another"),
        ptp::requirement("$dim = 2 or min(branches[2]) = max(branches[2])",
                         "the branches must have one size in dimension 2, since dim is another"),
        ptp::requirement("$dim = 3 or min(branches[3]) = max(branches[3])",
                         "the branches must have one size in dimension 3, since dim is another")};

    struct Config {
        std::vector<ptp::Layers> branches;
        int64_t dim = 1;

        static constexpr auto settings() {
            return std::tuple{ptp::setting("branches", &Config::branches,
                                           {.help = "The layers of each branch",
                                            .length = "[1, inf)",
                                            .is_required = true}),
                              ptp::setting("dim", &Config::dim,
                                           {.help = "The dimension that grows; 0 is the batch's",
                                            .range = "[1, inf)"})};
        }
    };

    Concat(const Config& config, ptp::Setup& setup) : dim_(config.dim) {
        for (const ptp::Layers& branch : config.branches) {
            branches_.push_back(layers::make_list(branch, setup));
            branches_.back().register_in(*net_);
        }
    }

    at::Tensor forward(const at::Tensor& inputs, const ptp::Step& step) {
        std::vector<at::Tensor> parts;
        for (ptp::LayerList& branch : branches_) {
            parts.push_back(branch.forward({&inputs}, step));
        }
        return at::cat(parts, dim_);
    }

    void set_training(bool is_training) {
        for (ptp::LayerList& branch : branches_) {
            branch.set_training(is_training);
        }
    }

    torch::nn::Module& module() { return *net_; }

private:
    int64_t dim_;
    std::vector<ptp::LayerList> branches_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
};

template const ptp_component_info& ptp::component<Concat>();
