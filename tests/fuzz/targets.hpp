// What reads untrusted bytes, each as a function that must return for every input: with what was
// read, or after the refusal that the reader is documented to give. Anything else is a finding.
#pragma once

#include <array>
#include <string_view>

namespace ptp::fuzz {

void bundle(std::string_view input);       // of `ptprun bundle`; its manifest
void control(std::string_view input);      // the socket's protocol, both sides
void expressions(std::string_view input);  // shapes, formulas, conditions, ranges and so on
void idx(std::string_view input);          // data files of MNIST
void images(std::string_view input);       // JPEG, PNG, TIFF and WebP
void journal(std::string_view input);      // journal.jsonl and plugins.lock of a run
void manifest(std::string_view input);     // the JSON in a plugin's note
void package(std::string_view input);      // of ptp-pack; its manifest, index, signature, key
void plugin_file(std::string_view input);  // a shared library
void shards(std::string_view input);       // tar files of WebDataset
void toml(std::string_view input);         // experiments and values of --set

// With libtorch:
void pickle(std::string_view input);       // and the tensors that it describes
void safetensors(std::string_view input);  //
void torch_zip(std::string_view input);    // files of torch.save(), of both forms

struct Target {
    const char* name;
    void (*run)(std::string_view input);
};

}  // namespace ptp::fuzz
