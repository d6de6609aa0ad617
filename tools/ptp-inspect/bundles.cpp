// `ptp-inspect MODEL.ptpm`: prints the manifests of bundles. What is in their other files is not
// read, so that it takes milliseconds, whatever their size.

#include "base/error.hpp"
#include "base/json.hpp"
#include "bundle/bundle.hpp"
#include "bundle/show.hpp"
#include "options.hpp"

#include <cstdlib>
#include <string>

namespace ptp::inspect {

int show_bundles(const tools::Strings& files, bool is_json) {
    try {
        std::string pages;
        Json list = Json::array();
        for (const std::string& file : files) {
            const bundle::BundleManifest manifest = bundle::BundleFile(file).manifest();
            pages += (pages.empty() ? "" : "\n") + bundle::page_of(manifest);
            list.push_back(json_of(bundle::value_of(manifest)));
        }
        print(is_json ? text_of(list, 2) + "\n" : pages);
        return EXIT_SUCCESS;
    } catch (const RunError& error) {
        return complain(error.what(), kPlugin);
    }
}

}  // namespace ptp::inspect
