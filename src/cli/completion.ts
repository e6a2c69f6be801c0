import { type ArgsDef, type CommandDef, defineCommand } from 'citty'
import { checkArgs } from './flags.ts'
import { UsageError } from './usage-error.ts'

const args: ArgsDef = { shell: { type: 'positional', required: false, description: 'bash or zsh' } }

export const completion = (commands: () => Record<string, CommandDef>) =>
  defineCommand({
    meta: { name: 'completion', description: 'Print what completes command lines in bash or zsh' },
    args,
    run({ rawArgs }) {
      const { shell } = checkArgs(rawArgs, args).values
      if (shell !== 'bash' && shell !== 'zsh') {
        throw new UsageError('name the shell: semblance completion bash, or zsh')
      }
      const intro = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''
      process.stdout.write(intro + script(commands()))
    },
  })

/** Flags where a word begins with a dash, text_ids and files elsewhere. */
function script(commands: Record<string, CommandDef>): string {
  const cases = Object.entries(commands).map(([name, { args }]) => {
    const known: ArgsDef = typeof args === 'object' && !('then' in args) ? args : {}
    const flags = Object.entries(known).flatMap(([flag, { type }]) =>
      type === 'positional' ? [] : [`--${flag}`],
    )
    return `    ${name}) words='${[...flags, '--help'].join(' ')}' ;;`
  })
  return `# semblance; for bash: source <(semblance completion bash), in ~/.bashrc
_semblance() {
  local word=\${COMP_WORDS[COMP_CWORD]} words=''
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
  esac
  [ "$COMP_CWORD" -gt 1 ] || words='${Object.keys(commands).join(' ')} --help'
  [ "$COMP_CWORD" -eq 1 ] || [[ $word == -* ]] || words=''
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _semblance semblance
`
}
