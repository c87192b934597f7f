# bash completion for hookctl

_hookctl()
{
	local cur=$2 prev=$3 words i command=
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--) # exec: the rest is a command of its own
			_command_offset $((i + 1)) 2>/dev/null
			return ;;
		-*) ;;
		*) command=${command:-${COMP_WORDS[i]}} ;;
		esac
	done
	case $prev in
	--project)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return ;;
	--socket)
		mapfile -t COMPREPLY < <(compgen -W "docker podman" -- "$cur")
		return ;;
	esac
	case $command in
	'') words="start ensure stop exec status env doctor log explain
		--help --version" ;;
	start | ensure) words="--project --via" ;;
	stop) words="--project --via --force --all" ;;
	exec) words="--project --" ;;
	status | doctor) words="--project --json" ;;
	env) words="--project --json --settings" ;;
	log) words="--project --json --follow --denied -f" ;;
	explain) words="--project --socket --json" ;;
	*) return ;;
	esac
	if [[ $command == explain && $cur != -* ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

complete -o filenames -F _hookctl hookctl
