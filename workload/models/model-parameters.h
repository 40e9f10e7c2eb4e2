// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/parameters.h"
#include "system/kernels/kernel-launch.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

/// \file
/// The parameters that models declare, and the checks that they share.

namespace nadi
{

/// A whole number of the range, below 2^24 + 1; an empty default: it must be given.
ParameterSpec MakeCount(const std::string& name,
                        const std::string& defaultText,
                        const std::string& help,
                        const NumberRange& range = {});

/// A list of whole numbers.
ParameterSpec
MakeCounts(const std::string& name, const std::string& defaultText, const std::string& help);

/// One of `words`; the first is the default.
ParameterSpec
MakeChoice(const std::string& name, const std::vector<std::string>& words, const std::string& help);

/// on or off.
ParameterSpec MakeSwitch(const std::string& name, bool isOn, const std::string& help);

/// The type of numbers, and its size.
ParameterSpec MakeNumberType(const std::string& name, const std::string& help);
/// The same, by default like another parameter before it.
ParameterSpec
MakeNumberTypeAs(const std::string& name, const std::string& source, const std::string& help);
uint64_t SizeOfNumberType(const std::string& word);
/// Requires: a word that such a parameter may have.
NumberType ReadNumberType(const Parameters& parameters, const std::string& name);

/// Requires: a parameter that MakeCount has made.
uint64_t ReadCount(const Parameters& parameters, const std::string& name);

/// A list of whole numbers.
std::vector<uint64_t> ReadCounts(const Parameters& parameters, const std::string& name);

bool ReadSwitch(const Parameters& parameters, const std::string& name);

/// Parts of equal size: "<by> 5 does not divide <what> 12".
struct Division
{
    const char* name = ""; ///< of the parameter at fault
    const char* what = "";
    uint64_t count = 0;
    const char* by = "";
    uint64_t parts = 1;
};

/// Throws ConfigError at `name` unless it does, which says what would be right: a divisor of the
/// count, if `name` is what `by` begins with, else a multiple of the parts.
void CheckDivides(const Division& division);

/// How many ranks share one thing, and the parameter that says so: {"tp", 8}.
struct Degree
{
    const char* name = "";
    uint32_t size = 1; ///< > 0
};

/// How many copies of a model that takes the product of `degrees` the ranks hold. Throws
/// ConfigError at the first degree with which the product no longer divides the ranks.
uint32_t FindCopies(const std::vector<Degree>& degrees, uint32_t ranks);

/// What makes the nodes of a job: layers, micro-batches, steps.
struct NodeSource
{
    const char* name = ""; ///< of the parameter at fault
    const char* what = ""; ///< is counted: "layers"
    uint64_t count = 0;
    uint64_t nodes = 0;      ///< of each, about; > 0
    const char* advice = ""; ///< what to write; empty: the largest count
};

/// Throws ConfigError at `name` where the nodes are more than MOST_NODES. Order: before the graph
/// is made, since too many nodes would use up the memory.
void CheckNodeCount(const NodeSource& source);

} // namespace nadi
