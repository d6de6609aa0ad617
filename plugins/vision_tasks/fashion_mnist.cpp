// FashionMNIST: pictures of clothes, Xiao, Rasul and Vollgraf 2017.

#include "labelled_images.hpp"

#include <ptp/component.hpp>

class FashionMNIST : public LabelledImages {
public:
    static constexpr const char* name = "FashionMNIST";
    static constexpr const char* summary = "Pictures of ten kinds of clothes, 28 x 28 pixels";
    static constexpr const char* description =
        "70000 grey images of clothes, 60000 to train and 10000 to test, made as a harder MNIST "
        "(Xiao, Rasul, Vollgraf 2017, arXiv 1708.07747). Nothing is downloaded: Debian's package "
        "dataset-fashion-mnist has the files where data_folder looks for them.";

    static constexpr const char* kObtain =
        "install Debian's package dataset-fashion-mnist, or take the four files from "
        "https://github.com/zalandoresearch/fashion-mnist and set data_folder to where they are";

    struct Config : ImagesConfig {
        static constexpr auto settings() { return ImagesConfig::settings(kObtain); }
        Config() { data_folder = "/usr/share/datasets/fashion-mnist"; }
    };

    FashionMNIST(const Config& config, ptp::Setup& setup)
        : LabelledImages(config,
                         {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt",
                          "Sneaker", "Bag", "Ankle boot"},
                         kObtain, setup) {}
};

template const ptp_component_info& ptp::component<FashionMNIST>();
