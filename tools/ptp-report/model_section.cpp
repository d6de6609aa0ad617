// Copies from model.json what the page shows, with the parameters of each operation counted.

#include "ptp-report/model_section.hpp"

#include "ptp-report/checked_json.hpp"
#include "run/format.hpp"
#include "run/paths.hpp"

#include <map>
#include <utility>

namespace ptp::report {

namespace {

constexpr std::size_t kMaxRows = 400;  // of tensors or operations of a component

Json sizes_in(const Json& json) {
    return each_of(list_in(json, "sizes"), [](const Json& size) { return finite_in(size); });
}

// Returns the product of the sizes.
double numbers_of(const Json& sizes) {
    double product = 1;
    for (const Json& size : sizes) {
        product *= size.is_number() ? size.get<double>() : 0;
    }
    return product;
}

Json bindings_of(const Json& list) {
    return each_of(list, [](const Json& one) -> Json {
        return {text_in(one, "port"), text_in(one, "stream")};
    });
}

// The tensors of a component; each operation takes the ones that no operation before it took.
class Tensors {
public:
    explicit Tensors(const Json& component) {
        for (const Json& tensor : list_in(component, "tensors")) {
            const Json sizes = sizes_in(tensor);
            const double numbers = numbers_of(sizes);
            const bool is_parameter = member_of(tensor, "is_parameter") == true;
            const bool is_trained = is_parameter && member_of(tensor, "is_trained") == true;
            (is_parameter ? parameters_ : buffers_) += numbers;
            trained_ += is_trained ? numbers : 0;
            bytes_ += finite_in(tensor, "bytes").is_null() ? 0 : tensor["bytes"].get<double>();
            if (is_parameter) {
                unused_[text_in(tensor, "name")] = numbers;
            }
            if (rows_.size() < kMaxRows) {
                rows_.push_back({text_in(tensor, "name"), sizes, numbers,
                                 !is_parameter ? "buffer"
                                 : is_trained  ? ""
                                               : "frozen"});
            }
        }
    }

    [[nodiscard]] double use(const Json& names) {
        double numbers = 0;
        for (const Json& name : names) {
            const auto found = unused_.find(text_in(name));
            if (found != unused_.end()) {
                numbers += found->second;
                unused_.erase(found);
            }
        }
        return numbers;
    }

    void write(Json& component) {
        component["parameters"] = parameters_;
        component["trained"] = trained_;
        component["buffers"] = buffers_;
        component["bytes"] = bytes_;
        component["tensors"] = std::move(rows_);
    }

private:
    double parameters_ = 0;
    double trained_ = 0;
    double buffers_ = 0;
    double bytes_ = 0;
    std::map<std::string, double> unused_;
    Json rows_ = Json::array();
};

Json operations_of(const Json& component, Tensors& tensors) {
    Json rows = Json::array();
    for (const Json& operation : list_in(component, "operations")) {
        if (rows.size() == kMaxRows) {
            break;
        }
        rows.push_back({text_in(operation, "name"), sizes_in(operation),
                        tensors.use(list_in(operation, "tensors")),
                        finite_in(operation, "multiply_adds"), finite_in(operation, "bytes")});
    }
    return rows;
}

Json component_of(const Json& found) {
    Json component = {{"name", text_in(found, "name")},
                      {"type", text_in(found, "type")},
                      {"what", text_in(found, "kind")},
                      {"plugin", text_in(found, "plugin")},
                      {"inputs", bindings_of(list_in(found, "inputs"))},
                      {"outputs", bindings_of(list_in(found, "outputs"))}};
    component["layers"] = each_of(list_in(found, "layers"), [](const Json& layer) -> Json {
        return {text_in(layer, "name"), text_in(layer, "type"), text_in(layer, "shape")};
    });
    Tensors tensors(found);
    component["operations"] = operations_of(found, tensors);
    component["operation_count"] = finite_in(found, "operation_count");
    component["multiply_adds"] = finite_in(found, "multiply_adds");
    tensors.write(component);
    return component;
}

}  // namespace

void add_model(Json& sections, const std::filesystem::path& run,
               std::vector<std::string>& problems) {
    const std::optional<Json> found =
        json_in_run(run / run::kModelFile, run::kModelFormat,
                    "\n    fix: delete it; the report has no summary of the model then", problems);
    if (!found) {
        return;
    }
    Json streams = Json::object();
    const Json& sizes = member_of(*found, "streams");
    for (auto one = sizes.begin(); sizes.is_object() && one != sizes.end(); ++one) {
        streams[harmless(one.key())] = sizes_in({{"sizes", one.value()}});
    }
    sections.push_back({{"kind", "model"},
                        {"samples", finite_in(*found, "samples")},
                        {"components", each_of(list_in(*found, "components"), component_of)},
                        {"streams", std::move(streams)}});
}

}  // namespace ptp::report
