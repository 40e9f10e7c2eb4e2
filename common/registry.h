// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/check.h"
#include "common/parameters.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace nadi
{

/// The components of one kind that can be named in a configuration.
///
/// Filled by NADI_REGISTER before main; the files must be linked as CMake OBJECT libraries, since
/// a linker drops self-registering files from static ones. Names are listed in alphabetical order.
template <class Base>
class Registry
{
  public:
    struct Entry
    {
        std::string name;
        std::string help; ///< one sentence
        std::vector<ParameterSpec> parameters;
        std::function<std::unique_ptr<Base>(const Parameters&)> make;
    };

    static Registry& Instance()
    {
        static Registry registry;
        return registry;
    }

    /// Requires: the name is new.
    void Add(Entry entry)
    {
        const std::string name = entry.name;
        NADI_CHECK(m_entries.emplace(name, std::move(entry)).second);
    }

    /// The entry, or nullptr where nothing has that name.
    const Entry* Find(const std::string& name) const
    {
        const auto found = m_entries.find(name);
        return found == m_entries.end() ? nullptr : &found->second;
    }

    std::vector<std::string> Names() const
    {
        std::vector<std::string> names;
        for (const auto& [name, entry] : m_entries)
        {
            names.push_back(name);
        }
        return names;
    }

    /// A component with default parameters. Requires: the name is registered.
    std::unique_ptr<Base> MakeDefault(const std::string& name) const
    {
        const Entry* entry = Find(name);
        NADI_CHECK(entry != nullptr);
        return entry->make(Parameters::Parse(entry->parameters, {}));
    }

  private:
    std::map<std::string, Entry> m_entries;
};

/// Registers `Derived` at start-up. `Derived` has `static constexpr const char* Help` and, when it
/// takes parameters, `static std::vector<ParameterSpec> ParameterSpecs()` and a constructor from
/// `const Parameters&`; otherwise a default constructor.
template <class Base, class Derived>
struct Registration
{
    explicit Registration(const char* name)
    {
        typename Registry<Base>::Entry entry;
        entry.name = name;
        entry.help = Derived::Help;
        if constexpr (requires { Derived::ParameterSpecs(); })
        {
            entry.parameters = Derived::ParameterSpecs();
            entry.make = [](const Parameters& values) { return std::make_unique<Derived>(values); };
        }
        else
        {
            entry.make = [](const Parameters&) { return std::make_unique<Derived>(); };
        }
        Registry<Base>::Instance().Add(std::move(entry));
    }
};

} // namespace nadi

#define NADI_REGISTER(Base, Derived, name)                                                         \
    static const ::nadi::Registration<Base, Derived> g_registered##Derived                         \
    {                                                                                              \
        name                                                                                       \
    }
