#include "common/boost_options.hpp"

#include <boost/program_options/value_semantic.hpp>

namespace ptp::tools {

namespace po = boost::program_options;

namespace {

const po::value_semantic* semantic_of(const Option& option) {
    if (option.value.empty()) {
        return new po::untyped_value(true);
    }
    if (option.integers) {
        auto* value = po::value<std::int64_t>()->value_name(option.value);
        return option.integers->usual ? value->default_value(*option.integers->usual) : value;
    }
    auto* value = po::value<Strings>()->value_name(option.value);
    return option.takes_several ? value->multitoken() : value;
}

}  // namespace

po::options_description boost_options(const std::vector<Option>& options,
                                      const std::string& title) {
    po::options_description all(title);
    for (const Option& option : options) {
        all.add_options()(option.name.c_str(), semantic_of(option), option.help.c_str());
    }
    return all;
}

}  // namespace ptp::tools
