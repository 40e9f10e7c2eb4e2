// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/error.h"
#include "configuration/config-file.h"
#include "importers/astra-sim-import.h"
#include "tests/support/scratch-directory.h"

#include <string>

namespace nadi::test
{

/// Imports what is in a directory of its own; gives the configuration and what was told of each
/// key. One of a name at a time.
class ImportBench
{
  public:
    explicit ImportBench(const std::string& name)
        : m_scratch(name)
    {
        m_scratch.Write("w.0.et", "");
        m_inputs.workload = (m_scratch.Path() / "w").string();
    }

    AstraSimInputs& Inputs()
    {
        return m_inputs;
    }

    const ScratchDirectory& Scratch() const
    {
        return m_scratch;
    }

    ImportedConfig Run() const
    {
        return ImportAstraSim(m_inputs, m_scratch.Path() / "c.yaml");
    }

    Config Read() const
    {
        return ReadConfig(m_scratch.Write("c.yaml", Run().yaml), {});
    }

    /// All lines, without the directory.
    std::string Lines() const
    {
        std::string text;
        for (const std::string& line : Run().lines)
        {
            text += m_scratch.WithoutPath(line) + "\n";
        }
        return text;
    }

    /// The text of the error, without the directory.
    std::string Error() const
    {
        try
        {
            Run();
        }
        catch (const ConfigError& error)
        {
            return m_scratch.WithoutPath(error.what());
        }
        return "none";
    }

  private:
    ScratchDirectory m_scratch;
    AstraSimInputs m_inputs;
};

} // namespace nadi::test
