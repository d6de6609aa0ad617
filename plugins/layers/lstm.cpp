// LSTM: long short-term memory over sequences, as torch.nn.LSTM with batch_first.

#include "recurrent.hpp"

#include <ptp/component.hpp>

class LSTM {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "LSTM";
    static constexpr const char* summary =
        "Long short-term memory over sequences: a layer of torch.nn";
    static constexpr const char* description =
        "Hochreiter and Schmidhuber 1997. Sequences have the batch first. `outputs` is the state of the last layer after "
        "each item; `last` is that at the end, of both directions one after the other, which the "
        "next layer reads with streams = { inputs = \"...\" }. With `lengths`, items after the "
        "length of a sequence are not read, and its end is there. `output_state` of one layer may "
        "be `input_state` of another, with the memory of its cells.";

    static constexpr std::array ports = layers::recurrent_ports(layers::kLstmState);
    using Config = layers::RecurrentConfig;

    LSTM(const Config& config, ptp::Setup& setup)
        : net_(layers::recurrent_options<torch::nn::LSTMOptions>(config, setup)) {}

    auto forward(const at::Tensor& inputs, const at::Tensor* lengths,
                 const at::Tensor* input_state) {
        return layers::run_recurrent<layers::LstmState>(net_, inputs, lengths, input_state);
    }

    torch::nn::Module& module() { return *net_; }

private:
    torch::nn::LSTM net_;
};

template const ptp_component_info& ptp::component<LSTM>();
