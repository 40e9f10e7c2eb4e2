// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace nadi
{

/// What kind of value a parameter takes; parsing is strict about it.
enum class ParameterKind
{
    Size,        ///< Bytes
    Rate,        ///< Bandwidth
    Duration,    ///< SimTime
    ComputeRate, ///< FlopRate
    Count,       ///< int64_t
    Number,      ///< double
    Word,        ///< std::string
    Path,        ///< std::string, absolute
    Counts,      ///< std::vector<int64_t>; as text separated by commas
};

using ParameterValue = std::variant<Bytes,
                                    Bandwidth,
                                    SimTime,
                                    FlopRate,
                                    int64_t,
                                    double,
                                    std::string,
                                    std::vector<int64_t>>;

/// A parameter of a registered component: one line in the component's own file. The list feeds
/// parsing, `nadi list`, and the errors for unknown keys.
struct ParameterSpec
{
    std::string name;                    ///< as written in YAML
    ParameterKind kind;                  ///< fixes the unit
    std::string defaultText;             ///< as a user would write it
    std::string help;                    ///< one sentence
    std::vector<std::string> words = {}; ///< of a Word: those that are valid; empty: any
};

/// The parameter whose value stands in for this one's, or nothing: of the default "as
/// link.latency", `link.latency`.
std::string FindDefaultSource(const ParameterSpec& spec);

/// `given`, with the defaults of `specs` for what is absent: an empty one means that the parameter
/// must be given, "as <name>" the value of another one before it. Throws ConfigError with the name
/// of the parameter as its place for one that must be given.
std::map<std::string, std::string>
CompleteParameters(const std::vector<ParameterSpec>& specs,
                   const std::map<std::string, std::string>& given);

/// The values of a component's parameters, complete: defaults are filled in.
class Parameters
{
  public:
    /// The defaults of `specs`, with `given` (name -> text) over them.
    /// Throws UnitError naming the parameter: unknown name (with suggestion) or unfit value.
    static Parameters Parse(const std::vector<ParameterSpec>& specs,
                            const std::map<std::string, std::string>& given);

    /// Requires: `name` is in the specs and its kind has type T.
    template <class T>
    const T& Get(const std::string& name) const
    {
        return std::get<T>(m_values.at(name));
    }

  private:
    std::map<std::string, ParameterValue> m_values;
};

} // namespace nadi
