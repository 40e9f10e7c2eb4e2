// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "tests/support/document-replay.h"
#include "tests/support/kineto-text.h"
#include "workload/tools/conversion/pytorch-converter.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace nadi::test
{

/// A recording of one rank, converted, with what tests ask of it.
class ConvertedRank
{
  public:
    explicit ConvertedRank(const KinetoText& device, uint32_t rankCount = 1)
        : m_converter(rankCount)
        , m_document(m_converter.Convert(0, device.Parse(), nullptr))
        , m_replay(m_document)
    {
    }

    ConvertedRank(const KinetoText& device, const PytorchHostTrace& host)
        : m_converter(1)
        , m_document(m_converter.Convert(0, device.Parse(), &host))
        , m_replay(m_document)
    {
    }

    /// The nodes of a name, in the order of the file.
    std::vector<ChakraProtoMsg::Node> All(const std::string& name) const
    {
        std::vector<ChakraProtoMsg::Node> found;
        for (const ChakraProtoMsg::Node& node : m_document.nodes)
        {
            if (node.name() == name)
            {
                found.push_back(node);
            }
        }
        return found;
    }

    /// The first node of a name.
    ChakraProtoMsg::Node The(const std::string& name) const
    {
        const auto found = All(name);
        return found.empty() ? throw std::runtime_error("there is no node " + name) : found.front();
    }

    /// Whether the first node of a name comes after that of another because of dependencies.
    bool Follows(const std::string& name, const std::string& before) const
    {
        return m_replay.Follows(The(name), The(before));
    }

    /// Whether it depends on it directly.
    bool DependsOn(const std::string& name, const std::string& before) const
    {
        const auto node = The(name);
        const auto& known = node.data_deps();
        return std::find(known.begin(), known.end(), The(before).id()) != known.end();
    }

    const TraceDocument& Document() const
    {
        return m_document;
    }

    const DocumentReplay& Replay() const
    {
        return m_replay;
    }

    const PytorchConverter& Converter() const
    {
        return m_converter;
    }

    /// Whether a note has this part.
    bool Notes(const std::string& part) const
    {
        for (const std::string& line : m_converter.Notes().ToLines())
        {
            if (line.find(part) != std::string::npos)
            {
                return true;
            }
        }
        return false;
    }

  private:
    PytorchConverter m_converter;
    TraceDocument m_document;
    DocumentReplay m_replay;
};

} // namespace nadi::test
