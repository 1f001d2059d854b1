/*
 * The floor of the benchmark: the cost of starting and ending a program that
 * is linked as ours are and does nothing.
 */
int
main(void)
{
	return 0;
}
