// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <cstdint>
#include <limits>
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
    Paths,       ///< std::vector<std::string>, absolute, one or more; as text a line for each
};

using ParameterValue = std::variant<Bytes,
                                    Bandwidth,
                                    SimTime,
                                    FlopRate,
                                    int64_t,
                                    double,
                                    std::string,
                                    std::vector<int64_t>,
                                    std::vector<std::string>>;

/// The values that a Count or a Number may have.
struct NumberRange
{
    double least = 0;
    bool isLeastAllowed = true;
    double most = std::numeric_limits<double>::infinity();

    bool Contains(double value) const
    {
        return (isLeastAllowed ? value >= least : value > least) && value <= most;
    }
};

/// A parameter of a component: one line in the component's own file. Reading and writing it, its
/// schema, `nadi list`, the reference of all keys, and the errors for unknown keys follow from it.
struct ParameterSpec
{
    std::string name;        ///< as written in YAML
    ParameterKind kind;      ///< fixes the unit
    std::string defaultText; ///< as a user would write it; empty: the parameter must be given
    std::string help;        ///< one sentence
    /// Of a Word: those that are valid; empty: any. Of another kind: words that may stand in place
    /// of a value, such as "auto".
    std::vector<std::string> words = {};
    NumberRange range = {};
};

/// The value that `text` stands for. Throws UnitError: what is wrong and what would be right.
ParameterValue ParseParameter(const ParameterSpec& spec, const std::string& text);

/// The text that ParseParameter reads as `value`.
std::string ToText(const ParameterValue& value);

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
    /// The defaults of `specs`, with `given` (name -> text) over them. Throws ConfigError: at no
    /// place for an unknown name (with a suggestion), at the name of the parameter for an unfit
    /// value.
    static Parameters Parse(const std::vector<ParameterSpec>& specs,
                            const std::map<std::string, std::string>& given);

    /// Requires: `name` is in the specs and its kind has type T.
    template <class T>
    const T& Get(const std::string& name) const
    {
        return std::get<T>(m_values.at(name));
    }

    /// Whether the value has that type: a parameter may have a word in place of one of its kind.
    template <class T>
    bool Has(const std::string& name) const
    {
        return std::holds_alternative<T>(m_values.at(name));
    }

    const ParameterValue& Value(const std::string& name) const
    {
        return m_values.at(name);
    }

  private:
    std::map<std::string, ParameterValue> m_values;
};

} // namespace nadi
