#include "config/load.hpp"

#include "config/include.hpp"
#include "config/override.hpp"
#include "config/substitute.hpp"

namespace ptp::config {

std::optional<Value> load_experiment(const LoadRequest& request, Diagnostics& problems) {
    std::optional<Value> root = read_with_includes(request.file, request.home, problems);
    Value nothing;  // takes the overrides when there is no tree, so that their
                    // form is checked too
    for (const std::string& text : request.overrides) {
        apply_override(text, root ? *root : nothing, problems);
    }
    if (root)
        substitute_vars(*root, problems);
    return root;
}

}  // namespace ptp::config
