// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/error.h"
#include "workload/trace/node-record.h"

#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace nadi
{

/// What is wrong with one node; the message names it.
class NodeError : public ConfigError
{
  public:
    NodeError(const std::string& source, const NodeRecord& record, const std::string& text);

    /// What is wrong, without the name of the node.
    const std::string& Text() const
    {
        return m_text;
    }

  private:
    std::string m_text;
};

/// Throws NodeError.
[[noreturn]] void
ThrowAtNode(const std::string& source, const NodeRecord& record, const std::string& problem);

/// Reads attributes of one node as whole numbers of the types that they must fit.
///
/// The source and the record outlive this.
class NodeNumbers
{
  public:
    NodeNumbers(const std::string& source, const NodeRecord& record)
        : m_source(source)
        , m_record(record)
    {
    }

    /// 0 when absent. Throws ConfigError, naming node and attribute, for anything else than a
    /// whole number in the range of `Number`.
    template <std::integral Number>
    Number Read(NodeAttribute attribute) const
    {
        const AttributeValue& value = m_record.Get(attribute);
        if (!IsPresent(value))
        {
            return 0;
        }
        if constexpr (std::is_signed_v<Number>)
        {
            return Narrow<Number>(attribute, ToInteger(value));
        }
        else
        {
            return Narrow<Number>(attribute, ToUnsigned(value));
        }
    }

  private:
    template <std::integral Number, std::integral Wide>
    Number Narrow(NodeAttribute attribute, std::optional<Wide> number) const
    {
        if (!number || !std::in_range<Number>(*number))
        {
            using Limits = std::numeric_limits<Number>;
            ThrowOutOfRange(
                attribute, std::to_string(Limits::min()), std::to_string(Limits::max()));
        }
        return static_cast<Number>(*number);
    }

    [[noreturn]] void ThrowOutOfRange(NodeAttribute attribute,
                                      const std::string& least,
                                      const std::string& most) const;

    const std::string& m_source;
    const NodeRecord& m_record;
};

} // namespace nadi
