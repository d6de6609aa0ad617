// MNIST: handwritten digits, by LeCun, Cortes and Burges.

#include "labelled_images.hpp"

#include <ptp/component.hpp>

class MNIST : public LabelledImages {
public:
    static constexpr const char* name = "MNIST";
    static constexpr const char* summary = "Handwritten digits, 28 x 28 pixels";
    static constexpr const char* description =
        "70000 grey images of handwritten digits, 60000 to train and 10000 to test. The classes "
        "are called Zero to Nine. Nothing is downloaded: put the four files train- and "
        "t10k-images-idx3-ubyte and -labels-idx1-ubyte, plain or .gz, into data_folder.";

    static constexpr const char* kObtain =
        "take the four files of MNIST from https://ossci-datasets.s3.amazonaws.com/mnist/, and set "
        "data_folder to where they are";

    struct Config : ImagesConfig {
        static constexpr auto settings() { return ImagesConfig::settings(kObtain); }
        Config() { data_folder = "~/data/mnist"; }
    };

    MNIST(const Config& config, ptp::Setup& setup)
        : LabelledImages(
              config,
              {"Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"},
              kObtain, setup) {}
};

template const ptp_component_info& ptp::component<MNIST>();
