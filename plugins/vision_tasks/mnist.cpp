// MNIST: handwritten digits, LeCun, Cortes and Burges.

#include "labelled_images.hpp"

#include <ptp/component.hpp>

class MNIST {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "MNIST";
    static constexpr const char* summary = "Handwritten digits, 28 x 28 pixels";
    static constexpr const char* description =
        "70000 grey images of handwritten digits, 60000 to train and 10000 to test. The classes "
        "are called Zero to Nine. Nothing is downloaded: put the four files train- and "
        "t10k-images-idx3-ubyte and -labels-idx1-ubyte, plain or .gz, into data_folder.";

    static constexpr auto ports = kImagePorts;
    static constexpr auto globals = kImageGlobals;
    static constexpr bool is_concurrent = true;

    struct Config : ImagesConfig {
        Config() { data_folder = "~/data/mnist"; }
    };

    MNIST(const Config& config, ptp::Setup& setup)
        : images_(
              config,
              {"Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"},
              "the four files of MNIST can be had from "
              "https://ossci-datasets.s3.amazonaws.com/mnist/, data_folder says where they are") {
        images_.publish(setup);
    }

    int64_t size() const { return images_.size(); }
    auto fetch(const ptp::Fetch& fetch) const { return images_.fetch(fetch.indices()); }

private:
    LabelledImages images_;
};

template const ptp_component_info& ptp::component<MNIST>();
