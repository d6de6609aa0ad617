// MultiheadAttention: attention within a sequence or to another one, as torch.nn.MultiheadAttention
// with batch_first.

#include "real_places.hpp"

#include <ptp/component.hpp>

#include <torch/nn/modules/activation.h>

class MultiheadAttention {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "MultiheadAttention";
    static constexpr const char* summary =
        "Attention of a sequence to itself or to another one: a layer of torch.nn";
    static constexpr const char* description =
        "Vaswani et al. 2017, arXiv 1706.03762. Sequences have the batch first. Without `memory` "
        "the queries, keys and values are all of `inputs`. Keys that are filling do not count: by "
        "`lengths` or `masks` those of `inputs`, by `memory_lengths` or `memory_masks` those of "
        "`memory`; where torch.nn has true in a key_padding_mask, masks have false. With is_causal "
        "an item attends to itself and those before it alone: the attn_mask of a language model.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, length, embed_dim", "The queries"),
        ptp::input("memory", PTP_FLOAT, "B, memory_length, embed_dim", "The keys and values")
            .optional()
            .when("!is_causal"),
        layers::lengths_port(),
        layers::masks_port("masks", "B, length"),
        layers::lengths_port("memory_lengths").when("!is_causal"),
        layers::masks_port("memory_masks", "B, memory_length").when("!is_causal"),
        ptp::output("outputs", PTP_FLOAT, "B, length, embed_dim", "A vector for each query")};
    static constexpr std::array requirements{
        ptp::requirement("embed_dim % $num_heads = 0", "must divide the size of a vector")};

    struct Config {
        int64_t num_heads = 1;
        double dropout = 0.0;
        bool bias = true;
        bool is_causal = false;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("num_heads", &Config::num_heads,
                             {.help = "Number of heads", .range = "[1, inf)", .is_required = true}),
                ptp::setting("dropout", &Config::dropout,
                             {.help = "The chance of dropping a weight of the attention",
                              .range = "[0, 1)"}),
                ptp::setting("bias", &Config::bias, {.help = "Whether biases are added"}),
                ptp::setting("is_causal", &Config::is_causal,
                             {.help = "Whether items do not attend to later ones"})};
        }
    };

    MultiheadAttention(const Config& config, ptp::Setup& setup)
        : net_(torch::nn::MultiheadAttentionOptions(setup.size("embed_dim"), config.num_heads)
                   .dropout(config.dropout)
                   .bias(config.bias)),
          is_causal_(config.is_causal) {}

    // [B, T, E], [B, S, E] -> [B, T, E]
    at::Tensor forward(const at::Tensor& inputs, const at::Tensor* memory,
                       const at::Tensor* lengths, const at::Tensor* masks,
                       const at::Tensor* memory_lengths, const at::Tensor* memory_masks) {
        if (memory != nullptr && (memory->dim() != 3 || memory->size(2) != inputs.size(2))) {
            throw ptp::DataError("memory must be sequences of vectors as long as those of inputs");
        }
        if (memory == nullptr && (memory_lengths != nullptr || memory_masks != nullptr)) {
            throw ptp::DataError("memory_lengths and memory_masks need the stream memory");
        }
        const at::Tensor query = inputs.transpose(0, 1);  // [B, T, E] -> [T, B, E]
        const at::Tensor key = memory == nullptr ? query : memory->transpose(0, 1);
        // The filling of inputs is checked where memory is attended to, too.
        const layers::RealPlaces real{"lengths", lengths, "masks", masks};
        const at::Tensor own = layers::padding_mask(real, {"inputs", inputs});
        const at::Tensor later =
            is_causal_ ? layers::causal_mask(real, {"inputs", inputs}, own) : at::Tensor();
        const at::Tensor mask = memory == nullptr
                                    ? own
                                    : layers::padding_mask({"memory_lengths", memory_lengths,
                                                            "memory_masks", memory_masks},
                                                           {"memory", *memory});
        return std::get<0>(net_->forward(query, key, key, mask, false, later)).transpose(0, 1);
    }

    torch::nn::Module& module() { return *net_; }

private:
    torch::nn::MultiheadAttention net_;
    bool is_causal_;
};

template const ptp_component_info& ptp::component<MultiheadAttention>();
