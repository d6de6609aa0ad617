// Inputs that do not take what their stream carries, such as a loss over raw scores behind a
// log-softmax. An internal header of the check of meanings.

#pragma once

#include "pipeline/stages.hpp"

#include <string>
#include <vector>

namespace ptp::pipeline {

// The meaning of a stream, and the output that determines it.
struct Carried {
    std::string word;
    const Draft* draft = nullptr;
    const plugin::Port* port = nullptr;
    std::string before = {};  // the meaning of the first input of that output's component
};

struct Clash {
    const Carried& carried;
    const WiredStream& stream;
    const Draft& reader;
    const plugin::Port& port;
    const std::vector<std::string>& taken;
};

// Returns whether an input that takes these meanings takes this one: numbers from 0 on wherever it
// takes any numbers, and those from -1 to 1.
bool takes_meaning(const std::vector<std::string>& taken, const std::string& word);

// Returns the change of a bool setting with which the writer writes one of these meanings at the
// port: "set pipeline.net.use_logsoftmax = false"; "" if there is none.
std::string switch_to_write(const Node& writer, const plugin::Port& port,
                            const std::vector<std::string>& taken);

// Returns whether a component reads what the writer writes, takes it for something else, and a
// switch of the writer is the fix.
bool has_clash_with_switch(const Assembly& assembly, const Node& writer);

// Returns whether an input of the reader for raw scores, which lie on both sides of 0, gets numbers
// from 0 on, or from -1 to 1. The reader is a loss, or a transform that makes probabilities or
// their logarithms, which should not get probabilities either.
bool limits_scores(const Draft& reader, const std::vector<std::string>& taken,
                   const std::string& word);

void report_clash(const Clash& clash, const Assembly& assembly, const plugin::Catalog& catalog,
                  Diagnostics& problems);

// Warns of a loss that does not run where new samples are predicted.
void report_left_out(const Clash& clash, Diagnostics& problems);

// Returns whether a transform brings numbers to a scale that a task has brought to one already.
bool scales_again(const Draft& reader, const Carried& carried);
void warn_of_second_scale(const Clash& clash, Diagnostics& problems);

// Warns of scores that limits_scores() has found.
void warn_of_limit(const Clash& clash, const Assembly& assembly, Diagnostics& problems);

}  // namespace ptp::pipeline
